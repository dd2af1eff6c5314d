// What a GPU computed for the cases: the file that clcsim is compared with.
//
// A few lines of text say where and when it was recorded; after an empty line follows a zstd frame
// with one entry for each case. An entry is bound to the case's PTX and operands by a hash: after a
// change of either it counts as missing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conformance/case.h"

namespace clcsim::conformance {

/// For each result of a case, the values of all threads.
using Results = std::vector<std::vector<std::uint64_t>>;

struct Recording {
  std::string gpu, driver, date;

  struct Entry {
    std::uint64_t hash = 0;
    std::string packed;
  };
  std::map<std::string, Entry> entries;  ///< by the case's name

  void add(const Case&, const Results&);
  /// False if the case isn't there, or has changed.
  bool find(const Case&, Results&) const;
};

/// Throws std::runtime_error with a sentence.
Recording read_recording(const std::string& path);
void write_recording(const std::string& path, const Recording&);

}  // namespace clcsim::conformance
