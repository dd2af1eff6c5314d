// The picture in words: titles, sums, what an index is called.
#pragma once

#include <string>

#include "report/timeline_layout.h"

namespace clcsim::report {

/// "1 block", "2,930 blocks".
std::string count(std::uint64_t number, const char* what);

/// A block's index with as many dimensions as the grid has.
std::string index_text(const machine::Dim3& grid, std::uint64_t linear);

/// "Launch 2: scale".
std::string title_of(const Panel& panel);

/// What became of the blocks of the launches that don't stand out.
std::string work_line(const Panel& panel);

/// How long it took, and what the slots did.
std::string time_line(const Panel& panel);

/// How long a launch of high priority waited.
std::string waited(const LaunchRecord& launch);

/// All of it, in sentences, for those who can't see the picture.
std::string describe(const Panel& panel);

}  // namespace clcsim::report
