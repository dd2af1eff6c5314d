// Reads the fatbin that nvcc puts into an executable: a list of PTX texts and machine codes, each
// for one architecture.
//
// The format is not documented; this follows what nvcc 12.9 to 13.0 write. All numbers are little
// endian and stand unaligned.
//
//   fatbin  u32 magic 0xba55ed50, u16 version 1, u16 size of this header, u64 size of all entries
//   entry   +0  u16 kind (1 PTX, 2 machine code)   +4  u32 size of this header, >= 64
//           +8  u64 size of the payload            +16 u32 its compressed size, 0: stored
//           +24 u16 minor, +26 u16 major of the PTX version
//           +28 u32 architecture (100)             +32 a file name, which nobody needs
//           +40 u64 flags: 0x2000 LZ4 block, 0x8000 zstd frame, 0x100000 'a', 0x200000 'f'
//           +56 u64 decompressed size              then the payload
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace clcsim::ptx {

// The bytes are no fatbin, or one that is damaged or of an unknown kind. what() is one sentence.
class FatbinError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ComputeCapability {
  unsigned major = 0;
  unsigned minor = 0;
};

struct FatbinEntry {
  enum class Kind : std::uint8_t { kPtx, kMachineCode, kOther };

  Kind kind = Kind::kOther;
  unsigned architecture = 0;  // 100 for compute capability 10.0
  char variant = '\0';        // 'a': this capability only; 'f': its family; '\0': it and all later
  std::uint64_t flags = 0;
  std::span<const std::byte> payload;  // of the bytes given to read_fatbin; maybe compressed
  std::uint64_t text_size = 0;         // bytes of the text; 0: stored as it is

  // "100a"
  std::string target() const;
  // The PTX, decompressed anew at each call. Throws FatbinError.
  std::string text() const;
};

// The entries refer to `bytes`, which must stay. Bytes after the fatbin are ignored. Nothing is
// decompressed yet. Throws FatbinError, and nothing else for any bytes.
std::vector<FatbinEntry> read_fatbin(std::span<const std::byte> bytes);

// The same for what a program hands to __cudaRegisterFatBinary: a pointer to
// { u32 magic 0x466243b1; u32 version; const void* fatbin; void* unused; }. `readable` says how
// many bytes can be read from an address on.
std::vector<FatbinEntry> read_registered_fatbin(
    const void* wrapper, const std::function<std::size_t(const void*)>& readable);

// Whether a GPU of this capability can run PTX for sm_<architecture><variant>.
bool suits(unsigned architecture, char variant, ComputeCapability capability);

// The PTX that a driver would translate for a GPU of this capability: one made for exactly this GPU
// ('a'), else for its family ('f'), else the newest that is not newer than the GPU. nullptr if
// there is none.
const FatbinEntry* select_ptx(std::span<const FatbinEntry> entries, ComputeCapability capability);

// For messages: "PTX for 100a and 120a, machine code for 90", "nothing".
std::string describe(std::span<const FatbinEntry> entries);

}  // namespace clcsim::ptx
