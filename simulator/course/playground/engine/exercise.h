// An exercise of the chapters, checked without its program: the engine plays the host of the
// student's kernel, the account says what has run, and the exercise's own check judges it.
#pragma once

#include <functional>
#include <string>

#include "host/host.h"
#include "report/json_reader.h"

namespace clcsim::playground {

/// The reply to a request that names an exercise, without what all replies have at their ends; the
/// request is described in simulator/course/playground/README.md. Throws host::Refusal,
/// ptx::ParseError.
std::string check_exercise(const report::Json& request,
                           const std::function<void(const host::Progress&)>& progress);

}  // namespace clcsim::playground
