#include "launcher/elf.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

using namespace clcsim::launcher;

namespace {

std::vector<std::byte> own_executable() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::vector<std::byte> bytes;
  std::transform(std::istreambuf_iterator<char>(file), {}, std::back_inserter(bytes),
                 [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

std::string error_of(std::span<const std::byte> bytes) {
  try {
    read_elf(bytes);
    return "";
  } catch (const ElfError& error) {
    return error.what();
  }
}

}  // namespace

TEST_SUITE("elf") {
  TEST_CASE("an executable asks for its libraries") {
    const Elf elf = read_elf(own_executable());
    CHECK(std::find(elf.needed.begin(), elf.needed.end(), "libc.so.6") != elf.needed.end());
  }

  TEST_CASE("what is no ELF file") {
    CHECK(error_of({}).find("no ELF file") != std::string::npos);
    const std::vector<std::byte> text(100, std::byte{'x'});
    CHECK(error_of(text).find("no ELF file") != std::string::npos);
  }

  TEST_CASE("another machine, another kind of file") {
    std::vector<std::byte> bytes = own_executable();
    bytes[18] = std::byte{0xf3};  // e_machine: RISC-V
    CHECK(error_of(bytes).find("another kind of machine") != std::string::npos);
    bytes = own_executable();
    bytes[16] = std::byte{1};  // e_type: object file
    CHECK(error_of(bytes).find("no executable") != std::string::npos);
    bytes = own_executable();
    bytes[4] = std::byte{1};  // 32 bits
    CHECK(error_of(bytes).find("another kind of machine") != std::string::npos);
  }

  TEST_CASE("a file that is cut off ends in a sentence, at every length") {
    const std::vector<std::byte> bytes = own_executable();
    for (std::size_t size = 0; size < bytes.size(); size += size < 4096 ? 1 : 997) {
      (void)error_of(std::span(bytes).first(size));
    }
  }

  TEST_CASE("damaged headers end in a sentence or are read, without a crash") {
    const std::vector<std::byte> bytes = own_executable();
    std::mt19937 random(1);
    for (int round = 0; round < 20000; ++round) {
      std::vector<std::byte> damaged(bytes.begin(), bytes.begin() + 4096);
      for (int change = 0; change < 3; ++change) {
        damaged[16 + random() % 1000] = static_cast<std::byte>(random());
      }
      (void)error_of(damaged);
    }
  }
}
