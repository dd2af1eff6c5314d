// The machine's account of a program's work, for a judge that is another process: what ran, which
// block did what, and what lies in the GPU's memory. Nothing in it is the program's word, except
// where it says so.
//
// CLCSIM_ACCOUNT names an open descriptor and a key. The library takes them, and the variable,
// before any code of the program runs, and writes records, sealed with the key. The program tells
// through clcsim_account() what it is about to do; a real GPU has no such function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cudart/work.h"

namespace clcsim::cudart {

/// What a record tells. A RecordHead is followed by `bytes` bytes.
enum class Record : std::uint32_t {
  opened,  ///< the first: the options that clcsim really has (config::in_words())
  note,    ///< text: the program's word
  launch,  ///< a kernel has ended: LaunchWork; for each block of the grid, as uint32, who has done
           ///< its work: itself, or its thief, or kNobody; uint32 drawer[draws]; BlockWork[started]
  region,  ///< what was watched: uint64 bytes that the host has copied to the GPU meanwhile,
           ///< Element[]
  memory,  ///< bytes of the GPU's memory
  end,     ///< uint32: the findings until now
};

struct RecordHead {
  Record kind;
  std::uint32_t bytes;
  std::uint64_t seal;  ///< (seal.h); they are numbered from 0
};

enum class Tell : int {
  open,   ///< data points to a Sink, which gets the account; 1: CLCSIM_ACCOUNT has named another
  seed,   ///< data points to a uint64, which becomes clcsim's seed
  note,   ///< data: text
  watch,  ///< data: two pointers to the GPU's memory: `bytes` of floats, and the counters, 64 bytes
  aside,  ///< data: `bytes` of the GPU's memory, until `watched`: which block uses them?
  watched,  ///< ends that, and writes a region
  show,     ///< data: `bytes` of the GPU's memory
  end,
};

using Sink = void (*)(const void* data, std::size_t bytes);
/// 0: written. 1: there is no account, or no such memory.
using AccountFunction = int(Tell what, const void* data, std::size_t bytes);

}  // namespace clcsim::cudart
