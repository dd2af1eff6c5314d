// A tensor map: what a copy of a box must know of a tensor in global memory. NVIDIA's 128 bytes are
// opaque, so these are clcsim's own. What the driver accepts is what the CUDA Driver API says of
// cuTensorMapEncodeTiled, and in doubt what an H200's driver answered (580.159.04, 2026-11-28: of
// 530 calls all but those that ask for elements or swizzles of compute capability 10.0). A header
// alone: libcuda.so has it, too.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace clcsim::machine {

inline constexpr std::uint32_t kMaxRank = 5;

struct alignas(64) TensorMap {
  static constexpr std::uint64_t kMagic = 0x70616d726f736e74;  // "tnsormap"
  static constexpr std::uint32_t kLargestBox = 228 << 10;      // the shared memory of an SM
  std::uint64_t magic = 0;  ///< another one: 128 bytes that nobody has encoded
  /// Unused: CUTLASS clears bit 21 of this word in the map of a small tensor, for an older driver's
  /// sake (include/cute/atom/copy_traits_sm90_tma.hpp).
  std::uint64_t edited_by_hosts = 0;
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMaxRank - 1> strides{};  ///< bytes, from the second dimension on
  std::array<std::uint32_t, kMaxRank> last{};         ///< index of the last element
  std::array<std::uint16_t, kMaxRank> box{};          ///< elements
  std::array<std::uint8_t, kMaxRank> steps{};         ///< every so-manieth element of the tensor
  std::uint8_t rank = 0;
  std::uint8_t element = 0;  ///< bytes
  std::uint8_t swizzle = 0;  ///< 0 to 3: none, 32, 64, 128 bytes; 128 with atoms of 32: 4, 64: 6
  std::uint8_t refused = 0;  ///< it has one of kRefusedMaps - 1, which clcsim doesn't model

  /// False: nobody has encoded it, or somebody has changed it.
  bool is_whole() const {
    if (magic != kMagic || rank == 0 || rank > kMaxRank || swizzle > 6) return false;
    if (element == 0) return refused != 0;
    if (element > 8 || (element & (element - 1)) != 0) return false;
    for (std::uint32_t k = 0; k < rank; ++k) {
      if (box[k] == 0 || box[k] > 256 || steps[k] == 0 || steps[k] > 8) return false;
    }
    return box_bytes() <= kLargestBox;
  }
  /// Elements of a box that a copy moves in this dimension.
  std::uint32_t count(std::uint32_t k) const {
    return k == 0 ? box[0] : (box[k] + steps[k] - 1u) / steps[k];
  }
  /// PTX ISA 9.1, 5.5.7: bytes of so many bits' addresses stay together, and the next bits are
  /// flipped by those from 7 on.
  std::uint32_t atom_bits() const { return swizzle < 4 ? 4 : swizzle == 4 ? 5 : 6; }
  std::uint32_t flipped() const { return (swizzle < 4 ? 1u << swizzle : 128u >> atom_bits()) - 1; }
  std::uint64_t box_bytes() const {
    std::uint64_t bytes = element;
    for (std::uint32_t k = 0; k < rank; ++k) bytes *= count(k);
    return bytes;
  }
};
static_assert(sizeof(TensorMap) == 128);
inline constexpr const char* kRefusedMaps[] = {"an interleaved layout", "a fill with NaN",
                                               "elements of 4 or 6 bits",
                                               "a swizzle that flips halves of 16 bytes"};

/// The arguments of cuTensorMapEncodeTiled; the numbers are those of its enumerations.
struct TiledTensor {
  unsigned type = 0, rank = 0;
  std::uint64_t address = 0;
  const std::uint64_t *sizes = nullptr, *strides = nullptr;
  const std::uint32_t *box = nullptr, *steps = nullptr;
  unsigned interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};

/// False: the driver answers CUDA_ERROR_INVALID_VALUE.
inline bool encode_tiled(void* to, const TiledTensor& of) {
  // uint8, 16, 32, int32, uint64, int64, f16, f32, f64, bf16, f32_ftz, tf32, tf32_ftz; 4 and 6 bits
  static constexpr std::uint8_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 0, 0, 0};
  constexpr unsigned kLastSwizzle = 6, kFirstFloat = 6, kLastFloat = 12;
  const auto no_multiple = [](std::uint64_t value, std::uint64_t of) { return value % of != 0; };
  if (to == nullptr || no_multiple(reinterpret_cast<std::uintptr_t>(to), 64)) return false;
  if (of.type >= sizeof kBytes || of.rank == 0 || of.rank > kMaxRank) return false;
  if (of.interleave > 2 || of.swizzle > kLastSwizzle || of.promotion > 3 || of.fill > 1) {
    return false;
  }
  if (!of.sizes || !of.strides || !of.box || !of.steps) return false;  // strides at rank 1, too
  const std::uint64_t alignment = of.interleave == 2 || of.type > 13 ? 32 : 16;
  if (no_multiple(of.address, alignment)) return false;
  if (of.interleave != 0 && of.rank < 3) return false;
  const bool is_float = of.type >= kFirstFloat && of.type <= kLastFloat;
  if (of.fill == 1 && !is_float) return false;

  TensorMap map{.magic = TensorMap::kMagic, .address = of.address};
  map.rank = static_cast<std::uint8_t>(of.rank);
  map.element = kBytes[of.type];
  map.swizzle = static_cast<std::uint8_t>(of.swizzle);
  for (unsigned k = 0; k < of.rank; ++k) {
    if (of.sizes[k] == 0 || of.sizes[k] > std::uint64_t{1} << 32) return false;
    if (of.box[k] == 0 || of.box[k] > 256) return false;
    if (of.steps[k] == 0 || of.steps[k] > 8) return false;
    if (k > 0) {
      const std::uint64_t stride = of.strides[k - 1];
      if (no_multiple(stride, alignment) || stride >= std::uint64_t{1} << 40) return false;
      map.strides[k - 1] = stride;
    }
    map.last[k] = static_cast<std::uint32_t>(of.sizes[k] - 1);
    map.box[k] = static_cast<std::uint16_t>(of.box[k]);
    map.steps[k] = static_cast<std::uint8_t>(of.steps[k]);
  }
  if (map.element != 0) {
    const std::uint32_t inner = of.box[0] * map.element;
    if (no_multiple(inner, 16) || map.box_bytes() > TensorMap::kLargestBox) return false;
    const std::uint32_t widest = of.swizzle < 3 ? 16u << of.swizzle : 128;
    if (of.interleave == 0 && of.swizzle > 0 && inner > widest) return false;
  }
  map.refused = of.interleave != 0 ? 1 : of.fill != 0 ? 2 : map.element == 0 ? 3 : 0;
  if (map.refused == 0 && of.swizzle == 5) map.refused = 4;
  std::memcpy(to, &map, sizeof map);
  return true;
}

}  // namespace clcsim::machine
