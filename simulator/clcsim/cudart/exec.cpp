// A program that becomes another one (exec) reports first what it has found. That counts for the
// exit status of the other one, too, which need not be a CUDA program: it gets this library
// preloaded.

#include "cudart/exec.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "cudart/api.h"
#include "cudart/runtime.h"

namespace clcsim::cudart {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";

pid_t heir = 0;

// As LD_LIBRARY_PATH leads to it: a path may have spaces, and LD_PRELOAD separates names by them.
std::string own_name() {
  Dl_info info = {};
  dladdr(&heir, &info);
  return std::strrchr(info.dli_fname, '/') + 1;
}

bool of_the_run(char* const* variables) {
  for (; *variables != nullptr; ++variables)
    if (std::string_view(*variables).starts_with("CLCSIM_RUN=")) return true;
  return false;
}

template <typename Target>
int become(const char* function, Target target, char* const* arguments, char* const* variables) {
  const auto next =
      reinterpret_cast<int (*)(Target, char* const*, char* const*)>(dlsym(RTLD_NEXT, function));
  Runtime* const runtime = Runtime::existing();
  const bool inherits = is_heir() || (runtime != nullptr && runtime->before_exec());
  if (!inherits || !of_the_run(variables)) return next(target, arguments, variables);
  std::string preload = std::string(kPreload) + own_name();
  std::string process = "CLCSIM_HEIR=" + std::to_string(getpid());
  std::vector<char*> inheritance;
  for (; *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    if (variable.starts_with(kPreload)) {
      preload.append(":").append(variable.substr(kPreload.size()));
    } else {
      inheritance.push_back(*variables);
    }
  }
  inheritance.insert(inheritance.end(), {preload.data(), process.data(), nullptr});
  return next(target, arguments, inheritance.data());
}

// The arguments of execl() and its like; `list` then stands after the null pointer at their end.
std::vector<char*> arguments_of(const char* first, std::va_list& list) {
  std::vector<char*> arguments = {const_cast<char*>(first)};
  while (arguments.back() != nullptr) arguments.push_back(va_arg(list, char*));
  return arguments;
}

__attribute__((constructor)) void inherit() {
  const char* const process = std::getenv("CLCSIM_HEIR");
  if (process == nullptr) return;
  if (std::to_string(getpid()) == process) heir = getpid();
  unsetenv("CLCSIM_HEIR");
  const char* const preloaded = std::getenv("LD_PRELOAD");
  const std::string own = own_name();
  if (preloaded != nullptr && preloaded == own) {
    unsetenv("LD_PRELOAD");
  } else if (preloaded != nullptr && std::string(preloaded).starts_with(own + ":")) {
    setenv("LD_PRELOAD", preloaded + own.size() + 1, 1);
  }
  on_exit(
      [](int status, void*) {
        if (is_heir()) Runtime::get().at_exit(status);
      },
      nullptr);
}

}  // namespace

bool is_heir() {
  return heir != 0 && heir == getpid();
}

}  // namespace clcsim::cudart

using clcsim::cudart::arguments_of;
using clcsim::cudart::become;

// These stand before the C library's of the same names.

CLCSIM_EXPORT int execve(const char* path, char* const* arguments,
                         char* const* variables) noexcept {
  return become("execve", path, arguments, variables);
}
CLCSIM_EXPORT int execv(const char* path, char* const* arguments) noexcept {
  return become("execve", path, arguments, environ);
}
CLCSIM_EXPORT int execvpe(const char* file, char* const* arguments,
                          char* const* variables) noexcept {
  return become("execvpe", file, arguments, variables);
}
CLCSIM_EXPORT int execvp(const char* file, char* const* arguments) noexcept {
  return become("execvpe", file, arguments, environ);
}
CLCSIM_EXPORT int fexecve(int file, char* const* arguments, char* const* variables) noexcept {
  return become("fexecve", file, arguments, variables);
}

CLCSIM_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  std::va_list list;
  va_start(list, first);
  const std::vector<char*> arguments = arguments_of(first, list);
  va_end(list);
  return become("execve", path, arguments.data(), environ);
}
CLCSIM_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  std::va_list list;
  va_start(list, first);
  const std::vector<char*> arguments = arguments_of(first, list);
  va_end(list);
  return become("execvpe", file, arguments.data(), environ);
}
CLCSIM_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  std::va_list list;
  va_start(list, first);
  const std::vector<char*> arguments = arguments_of(first, list);
  char* const* const variables = va_arg(list, char* const*);
  va_end(list);
  return become("execve", path, arguments.data(), variables);
}
