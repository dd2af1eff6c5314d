#include "conformance/recording.h"

#include <zstd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace clcsim::conformance {
namespace {

using std::uint64_t;

constexpr const char* kTitle = "clcsim conformance recording 1";

/// FNV-1a
struct Hash {
  uint64_t value = 0xcbf29ce484222325;
  void add(const void* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      value = (value ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
    }
  }
};

uint64_t hash_of(const Case& c) {
  Hash hash;
  hash.add(c.ptx.data(), c.ptx.size());
  for (const Operand& operand : c.operands) {
    hash.add(operand.values.data(), operand.values.size() * sizeof(uint64_t));
  }
  hash.add(c.grid.data(), sizeof c.grid);
  hash.add(c.block.data(), sizeof c.block);
  hash.add(c.parameter.data(), c.parameter.size());
  return hash.value;
}

/// Predicates take one bit, other values their own width, plane after plane: the bytes of equal
/// weight lie side by side, which zstd likes.
void pack(std::string& to, const std::vector<uint64_t>& values, int bits) {
  if (bits == 1) {
    for (std::size_t i = 0; i < values.size(); i += 8) {
      unsigned byte = 0;
      for (std::size_t k = 0; k < 8 && i + k < values.size(); ++k) byte |= (values[i + k] & 1) << k;
      to += static_cast<char>(byte);
    }
    return;
  }
  for (int shift = 0; shift < bits; shift += 8) {
    for (const uint64_t value : values) to += static_cast<char>(value >> shift);
  }
}

std::size_t packed_size(std::size_t count, int bits) {
  return bits == 1 ? (count + 7) / 8 : count * static_cast<std::size_t>(bits / 8);
}

std::vector<uint64_t> unpack(const char* from, std::size_t count, int bits) {
  std::vector<uint64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (bits == 1) {
      values[i] = static_cast<unsigned char>(from[i / 8]) >> (i % 8) & 1;
      continue;
    }
    for (int plane = 0; plane < bits / 8; ++plane) {
      values[i] |= uint64_t{static_cast<unsigned char>(from[plane * count + i])} << (8 * plane);
    }
  }
  return values;
}

template <class T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Reads from the front of what is left.
struct Reader {
  const std::string& from;
  std::size_t at = 0;
  std::string bytes(std::size_t size) {
    if (size > from.size() - at) throw std::runtime_error("the recording is damaged");
    at += size;
    return from.substr(at - size, size);
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }
};

}  // namespace

void Recording::add(const Case& c, const Results& results) {
  Entry& entry = entries[c.name()];
  entry.hash = hash_of(c);
  entry.packed.clear();
  for (std::size_t k = 0; k < c.results.size(); ++k) {
    pack(entry.packed, results[k], c.results[k].bits);
  }
}

bool Recording::find(const Case& c, Results& results) const {
  const auto found = entries.find(c.name());
  if (found == entries.end() || found->second.hash != hash_of(c)) return false;
  std::size_t size = 0;
  for (const Result& result : c.results) size += packed_size(c.count(), result.bits);
  if (found->second.packed.size() != size) return false;
  results.clear();
  const char* at = found->second.packed.data();
  for (const Result& result : c.results) {
    results.push_back(unpack(at, c.count(), result.bits));
    at += packed_size(c.count(), result.bits);
  }
  return true;
}

Recording read_recording(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("can't open " + path);
  std::string line;
  if (!std::getline(file, line) || line != kTitle) {
    throw std::runtime_error(path + " is not a recording of this version");
  }
  Recording recording;
  while (std::getline(file, line) && !line.empty()) {
    const std::size_t space = line.find(' ');
    const std::string key = line.substr(0, space), value = line.substr(space + 1);
    if (key == "gpu") recording.gpu = value;
    if (key == "driver") recording.driver = value;
    if (key == "date") recording.date = value;
  }
  const std::string compressed{std::istreambuf_iterator<char>(file), {}};
  const auto size = ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > 1u << 30) {
    throw std::runtime_error(path + " is damaged");
  }
  std::string text(size, '\0');
  if (ZSTD_decompress(text.data(), size, compressed.data(), compressed.size()) != size) {
    throw std::runtime_error(path + " is damaged");
  }
  Reader reader{text};
  while (reader.at < text.size()) {
    const std::string name = reader.bytes(reader.number<std::uint32_t>());
    Recording::Entry& entry = recording.entries[name];
    entry.hash = reader.number<uint64_t>();
    entry.packed = reader.bytes(reader.number<std::uint32_t>());
  }
  return recording;
}

void write_recording(const std::string& path, const Recording& recording) {
  std::string text;
  for (const auto& [name, entry] : recording.entries) {
    put(text, static_cast<std::uint32_t>(name.size()));
    text += name;
    put(text, entry.hash);
    put(text, static_cast<std::uint32_t>(entry.packed.size()));
    text += entry.packed;
  }
  std::string compressed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 19);
  ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
  const std::size_t size =
      ZSTD_compress2(context, compressed.data(), compressed.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size)) throw std::runtime_error("zstd can't compress the recording");
  std::ofstream file(path, std::ios::binary);
  file << kTitle << "\ngpu " << recording.gpu << "\ndriver " << recording.driver << "\ndate "
       << recording.date << "\n\n";
  file.write(compressed.data(), static_cast<std::streamsize>(size));
  if (!file.flush()) throw std::runtime_error("can't write " + path);
}

}  // namespace clcsim::conformance
