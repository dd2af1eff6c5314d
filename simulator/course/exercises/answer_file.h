// What a student's file may say, for the check behind it to be the check.
#pragma once

#include <filesystem>
#include <string>

#include "exercises/list.h"
#include "exercises/objection.h"

namespace clcsim::exercises {

/// It has no directive, macro, attribute or assembly that could change what follows it, includes
/// what exercises include, and uses of clc:: what common/ has. No objection to a file that can't be
/// read.
Objection objection_to_answer(const std::filesystem::path& answer, const Exercise& exercise);

}  // namespace clcsim::exercises
