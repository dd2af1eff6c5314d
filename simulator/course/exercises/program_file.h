// What a student's program is made of, before it runs.
#pragma once

#include <filesystem>

#include "exercises/objection.h"

namespace clcsim::exercises {

/// It may import what answers need: CUDA's functions, C++'s library without files, threads and
/// processes, memory, strings, mathematics, printing. And it may define no function of the system
/// for others, nor change its code. A program that C++'s library was linked into has that library's
/// imports, which aren't judged.
Objection objection_to_program(const std::filesystem::path& program);

}  // namespace clcsim::exercises
