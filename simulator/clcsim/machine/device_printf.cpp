#include "machine/device_printf.h"

#include <cstdio>
#include <vector>

#include "machine/isa/access.h"

namespace clcsim::machine {
namespace {

using isa::bytes_at;

constexpr std::size_t kMaxString = 64 * 1024;

// Programming Guide, "Formatted Output": at most so many arguments; what is beyond them is ignored,
// and its conversion printed as it stands.
constexpr int kMaxArguments = 32;

template <class T>
T take(Warp& warp, std::uint64_t& address, int lane) {
  address = (address + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  T value;
  std::memcpy(&value, bytes_at<Space::generic>(warp, address, sizeof(T), lane), sizeof(T));
  address += sizeof(T);
  return value;
}

template <class T>
std::string expand(const std::string& specification, T value) {
  const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
  if (length < 0) return {};
  std::vector<char> text(static_cast<std::size_t>(length) + 1);
  std::snprintf(text.data(), text.size(), specification.c_str(), value);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::string read_string(Warp& warp, std::uint64_t address, int lane) {
  std::string text;
  while (text.size() < kMaxString) {
    const auto c = static_cast<char>(*bytes_at<Space::generic>(warp, address++, 1, lane));
    if (c == '\0') break;
    text += c;
  }
  return text;
}

std::string format_printf(Warp& warp, const std::string& format, std::uint64_t arguments, int lane,
                          int& count) {
  std::string result;
  count = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      result += format[i];
      continue;
    }
    // Flags, width, precision and length are collected; `*` is replaced by its argument.
    std::string specification = "%";
    const std::size_t begin = i;
    int longs = 0;
    for (++i; i < format.size(); ++i) {
      const char c = format[i];
      if (c == '*' && count < kMaxArguments) {
        specification += std::to_string(take<std::int32_t>(warp, arguments, lane));
        ++count;
      } else if (c == 'l') {
        ++longs;
      } else if (c == 'j' || c == 'z' || c == 't') {
        longs = 2;
      } else if (c != 'h' && c != '*') {
        if (std::string_view("#0- +.123456789").find(c) == std::string_view::npos) break;
        specification += c;
      }
    }
    if (i >= format.size()) break;
    const char conversion = format[i];
    const auto is_one_of = [&](std::string_view conversions) {
      return conversions.find(conversion) != conversions.npos;
    };
    if (conversion == '%') {
      result += '%';
      continue;
    }
    if (count == kMaxArguments) {
      result += format.substr(begin, i + 1 - begin);
      continue;
    }
    if (longs > 0 && is_one_of("diuxXo")) {
      result +=
          expand(specification + "ll" + conversion, take<std::int64_t>(warp, arguments, lane));
    } else if (is_one_of("diuxXoc")) {
      result += expand(specification + conversion, take<std::int32_t>(warp, arguments, lane));
    } else if (is_one_of("eEfFgGaA")) {
      result += expand(specification + conversion, take<double>(warp, arguments, lane));
    } else if (conversion == 'p') {
      result += expand(specification + conversion,
                       reinterpret_cast<void*>(take<std::uint64_t>(warp, arguments, lane)));
    } else if (conversion == 's') {
      const std::uint64_t address = take<std::uint64_t>(warp, arguments, lane);
      const std::string text = address == 0 ? "(null)" : read_string(warp, address, lane);
      result += expand(specification + conversion, text.c_str());
    } else {
      count = -1;
      return result + specification + conversion;
    }
    ++count;
  }
  return result;
}

}  // namespace clcsim::machine
