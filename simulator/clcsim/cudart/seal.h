// Seals the records of an account, so that only who knows the key can have written them:
// SipHash-2-4 (https://www.aumasson.jp/siphash/siphash.pdf) of a record's number, kind, size and
// bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cudart/account.h"

namespace clcsim::cudart {

using Key = std::array<std::uint64_t, 2>;

class Seal {
 public:
  explicit Seal(const Key& key)
      : v_{key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
           key[1] ^ 0x7465646279746573u} {}

  void add(std::uint64_t word) {
    v_[3] ^= word;
    for (int i = 0; i < 2; ++i) mix();
    v_[0] ^= word;
  }
  std::uint64_t finish() {
    v_[2] ^= 0xff;
    for (int i = 0; i < 4; ++i) mix();
    return v_[0] ^ v_[1] ^ v_[2] ^ v_[3];
  }

 private:
  void mix() {
    v_[0] += v_[1], v_[2] += v_[3];
    v_[1] = std::rotl(v_[1], 13) ^ v_[0], v_[3] = std::rotl(v_[3], 16) ^ v_[2];
    v_[0] = std::rotl(v_[0], 32);
    v_[2] += v_[1], v_[0] += v_[3];
    v_[1] = std::rotl(v_[1], 17) ^ v_[2], v_[3] = std::rotl(v_[3], 21) ^ v_[0];
    v_[2] = std::rotl(v_[2], 32);
  }

  std::array<std::uint64_t, 4> v_;
};

/// Of the record with this number, from 0.
inline RecordHead sealed(const Key& key, std::uint64_t number, Record kind, const void* data,
                         std::size_t bytes) {
  Seal seal(key);
  seal.add(number);
  seal.add(std::uint64_t{static_cast<std::uint32_t>(kind)} << 32 | bytes);
  const auto* at = static_cast<const char*>(data);
  for (std::size_t done = 0; done < bytes; done += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + done, bytes - done < sizeof word ? bytes - done : sizeof word);
    seal.add(word);
  }
  return {kind, static_cast<std::uint32_t>(bytes), seal.finish()};
}

}  // namespace clcsim::cudart
