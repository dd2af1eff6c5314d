// Fat binaries made by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace clcsim::ptx {

constexpr std::uint64_t kLz4 = 0x2000;
constexpr std::uint64_t kZstd = 0x8000;

template <typename T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

struct Fields {
  std::uint16_t kind = 1;
  std::uint32_t architecture = 100;
  std::uint64_t flags = 0;
  std::string payload = {};
  std::uint64_t text_size = 0;
};

inline std::string entry(const Fields& fields) {
  const bool packed = (fields.flags & (kLz4 | kZstd)) != 0;
  constexpr std::size_t header = 64;
  const std::size_t payload = (fields.payload.size() + 7) / 8 * 8;
  std::string bytes(header + payload, '\0');
  put(bytes, 0, fields.kind);
  put(bytes, 2, std::uint16_t{0x101});
  put(bytes, 4, static_cast<std::uint32_t>(header));
  put(bytes, 8, static_cast<std::uint64_t>(payload));
  put(bytes, 16, static_cast<std::uint32_t>(packed ? fields.payload.size() : 0));
  put(bytes, 24, std::uint16_t{0});
  put(bytes, 26, std::uint16_t{9});
  put(bytes, 28, fields.architecture);
  put(bytes, 40, fields.flags);
  put(bytes, 56, fields.text_size);
  bytes.replace(header, fields.payload.size(), fields.payload);
  return bytes;
}

inline std::string fatbin(const std::string& entries) {
  std::string bytes(16, '\0');
  put(bytes, 0, std::uint32_t{0xba55ed50});
  put(bytes, 4, std::uint16_t{1});
  put(bytes, 6, std::uint16_t{16});
  put(bytes, 8, static_cast<std::uint64_t>(entries.size()));
  return bytes + entries;
}

}  // namespace clcsim::ptx
