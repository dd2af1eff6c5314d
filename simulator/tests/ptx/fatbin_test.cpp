#include <doctest/doctest.h>
#include <lz4.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "ptx/fatbin.h"
#include "tests/ptx/fatbin_bytes.h"

namespace clcsim::ptx {
namespace {

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

std::string lz4(const std::string& text) {
  std::string packed(LZ4_compressBound(static_cast<int>(text.size())), '\0');
  packed.resize(LZ4_compress_default(text.data(), packed.data(), static_cast<int>(text.size()),
                                     static_cast<int>(packed.size())));
  return packed;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

const std::string kText = ".version 9.0\n.target sm_100a\n" + std::string(5000, ' ') + "\n";

TEST_CASE("stored, zstd and LZ4 give the same text") {
  const std::string bytes =
      fatbin(entry({.payload = kText}) +
             entry({.flags = kZstd, .payload = zstd(kText), .text_size = kText.size()}) +
             entry({.flags = kLz4, .payload = lz4(kText), .text_size = kText.size()}));
  const std::vector<FatbinEntry> entries = read_fatbin(bytes_of(bytes));
  REQUIRE(entries.size() == 3);
  for (const FatbinEntry& one : entries) {
    CHECK(one.kind == FatbinEntry::Kind::kPtx);
    CHECK(one.architecture == 100);
    CHECK(one.text() == kText);
  }
}

TEST_CASE("kinds and variants, and what a message says of them") {
  const std::string bytes = fatbin(
      entry({.architecture = 90, .flags = 0}) + entry({.architecture = 100, .flags = 0x100000}) +
      entry({.architecture = 100, .flags = 0x200000}) + entry({.kind = 2, .architecture = 90}) +
      entry({.kind = 8, .architecture = 75}));
  const std::vector<FatbinEntry> entries = read_fatbin(bytes_of(bytes));
  CHECK(entries[0].target() == "90");
  CHECK(entries[1].target() == "100a");
  CHECK(entries[2].target() == "100f");
  CHECK(describe(entries) ==
        "PTX for 90, 100a and 100f, machine code for 90, something else for 75");
  CHECK(describe(std::span(entries).subspan(3, 1)) == "machine code for 90");
}

TEST_CASE("which PTX a GPU takes") {
  const auto choose = [](const std::vector<std::pair<unsigned, char>>& targets,
                         ComputeCapability capability) -> std::string {
    std::vector<FatbinEntry> entries;
    for (const auto& [architecture, variant] : targets) {
      FatbinEntry& one = entries.emplace_back();
      one.kind = FatbinEntry::Kind::kPtx;
      one.architecture = architecture;
      one.variant = variant;
    }
    const FatbinEntry* chosen = select_ptx(entries, capability);
    return chosen ? chosen->target() : "none";
  };
  CHECK(choose({{90, '\0'}}, {10, 0}) == "90");
  CHECK(choose({{100, '\0'}}, {9, 0}) == "none");
  CHECK(choose({{103, '\0'}}, {10, 0}) == "none");
  CHECK(choose({{90, '\0'}, {100, '\0'}, {80, '\0'}}, {12, 0}) == "100");
  CHECK(choose({{100, 'a'}}, {10, 0}) == "100a");
  CHECK(choose({{100, 'a'}}, {10, 3}) == "none");
  CHECK(choose({{100, 'a'}}, {12, 0}) == "none");
  CHECK(choose({{100, 'f'}}, {10, 3}) == "100f");
  CHECK(choose({{103, 'f'}}, {10, 0}) == "none");
  CHECK(choose({{100, 'f'}}, {12, 0}) == "none");
  CHECK(choose({{100, '\0'}, {100, 'f'}, {100, 'a'}}, {10, 0}) == "100a");
  CHECK(choose({{103, '\0'}, {100, 'f'}}, {10, 3}) == "100f");
  CHECK(choose({{100, 'f'}, {103, 'f'}}, {10, 3}) == "103f");
  CHECK(choose({{100, 'a'}, {120, 'a'}}, {12, 0}) == "120a");
  CHECK(choose({}, {10, 0}) == "none");
}

TEST_CASE("machine code is never taken for PTX") {
  const std::string bytes = fatbin(entry({.kind = 2, .architecture = 90}));
  CHECK(select_ptx(read_fatbin(bytes_of(bytes)), {10, 0}) == nullptr);
}

namespace {

// What the wrappers below and their fatbins may read.
std::size_t left_in_memory = 0;
std::size_t readable(const void*) {
  return left_in_memory;
}

}  // namespace

TEST_CASE("the wrapper that a program registers") {
  const std::string bytes = fatbin(entry({.payload = kText})) + "what follows in memory";
  struct {
    std::uint32_t magic = 0x466243b1;
    std::uint32_t version = 1;
    const void* fatbin;
    const void* unused = nullptr;
  } wrapper;
  wrapper.fatbin = bytes.data();
  left_in_memory = bytes.size();
  CHECK(read_registered_fatbin(&wrapper, readable).at(0).text() == kText);

  // A header that claims more than the segment holds.
  std::string longer = bytes;
  longer[8 + 6] = 1;  // 2^48 bytes more
  wrapper.fatbin = longer.data();
  CHECK_THROWS_AS(read_registered_fatbin(&wrapper, readable), FatbinError);
  wrapper.fatbin = bytes.data();
  for (left_in_memory = 0; left_in_memory < kText.size(); ++left_in_memory) {
    CHECK_THROWS_AS(read_registered_fatbin(&wrapper, readable), FatbinError);
  }
  left_in_memory = bytes.size();

  wrapper.version = 2;
  CHECK_THROWS_WITH_AS(
      read_registered_fatbin(&wrapper, readable),
      "the program was linked from relocatable device code (-rdc=true), which is "
      "not supported; compile without that option one file that has all device code or "
      "includes the others (#include)",
      FatbinError);
  wrapper.version = 3;
  CHECK_THROWS_AS(read_registered_fatbin(&wrapper, readable), FatbinError);
  wrapper.version = 1;
  wrapper.fatbin = nullptr;
  CHECK_THROWS_AS(read_registered_fatbin(&wrapper, readable), FatbinError);
  wrapper.fatbin = kText.data();
  CHECK_THROWS_AS(read_registered_fatbin(&wrapper, readable), FatbinError);
  wrapper.magic = 0;
  CHECK_THROWS_AS(read_registered_fatbin(&wrapper, readable), FatbinError);
  CHECK_THROWS_AS(read_registered_fatbin(nullptr, readable), FatbinError);
}

TEST_CASE("a fatbin cut off anywhere is refused") {
  const std::string bytes =
      fatbin(entry({.flags = kZstd, .payload = zstd(kText), .text_size = kText.size()}));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS(read_fatbin(bytes_of(bytes).first(length)), FatbinError);
  }
  CHECK(read_fatbin(bytes_of(bytes)).size() == 1);
}

TEST_CASE("sizes that reach too far") {
  const auto damaged = [](std::size_t offset, auto value) {
    std::string bytes =
        fatbin(entry({.flags = kZstd, .payload = zstd(kText), .text_size = kText.size()}));
    put(bytes, offset, value);
    for (const FatbinEntry& one : read_fatbin(bytes_of(bytes))) one.text();
  };
  CHECK_THROWS_AS(damaged(4, std::uint16_t{2}), FatbinError);  // version
  CHECK_THROWS_AS(damaged(6, std::uint16_t{8}), FatbinError);  // header
  CHECK_THROWS_AS(damaged(6, std::uint16_t{0xffff}), FatbinError);
  CHECK_THROWS_AS(damaged(8, ~std::uint64_t{0}), FatbinError);  // all entries
  CHECK_THROWS_AS(damaged(8, std::uint64_t{63}), FatbinError);
  CHECK_THROWS_AS(damaged(16 + 4, std::uint32_t{63}), FatbinError);  // entry header
  CHECK_THROWS_AS(damaged(16 + 4, ~std::uint32_t{0}), FatbinError);
  CHECK_THROWS_AS(damaged(16 + 8, ~std::uint64_t{0}), FatbinError);  // payload
  CHECK_THROWS_WITH_AS(damaged(16 + 8, ~std::uint64_t{0} - 63),
                       "the fatbin is damaged: an entry reaches beyond its end", FatbinError);
  CHECK_THROWS_WITH_AS(damaged(16 + 16, std::uint32_t{4096}),  // compressed
                       "the fatbin is damaged: compressed text is longer than its entry",
                       FatbinError);
  CHECK_THROWS_AS(damaged(16 + 56, kText.size() - 1), FatbinError);  // text
  CHECK_THROWS_AS(damaged(16 + 56, kText.size() + 1), FatbinError);
  CHECK_THROWS_AS(damaged(16 + 56, std::uint64_t{0}), FatbinError);
  CHECK_THROWS_WITH_AS(damaged(16 + 56, std::uint64_t{1} << 40),
                       "the PTX for 100 claims to be 1099511627776 bytes long, which cannot be",
                       FatbinError);
  // 40 000 bytes may well become a GiB, but no more than that is read.
  std::string large =
      fatbin(entry({.flags = kZstd, .payload = std::string(40000, 'x'), .text_size = 1}));
  put(large, 16 + 56, (std::uint64_t{1} << 30) + 1);
  CHECK_THROWS_WITH_AS(read_fatbin(bytes_of(large))[0].text(),
                       "the PTX for 100 claims to be 1073741825 bytes long, which cannot be",
                       FatbinError);
  CHECK_THROWS_WITH_AS(damaged(16 + 40, std::uint64_t{0}),
                       "the PTX for 100 is compressed in a way that is not known", FatbinError);
}

TEST_CASE("a compressed text that is damaged") {
  std::string packed = zstd(kText);
  packed[8] ^= 0x55;  // the header of the first block
  const std::string bytes =
      fatbin(entry({.flags = kZstd, .payload = packed, .text_size = kText.size()}) +
             entry({.flags = kLz4, .payload = "no LZ4", .text_size = 900}));
  const std::vector<FatbinEntry> entries = read_fatbin(bytes_of(bytes));
  CHECK_THROWS_WITH_AS(entries[0].text(), "the PTX for 100 is damaged: it cannot be decompressed",
                       FatbinError);
  CHECK_THROWS_AS(entries[1].text(), FatbinError);
}

}  // namespace
}  // namespace clcsim::ptx
