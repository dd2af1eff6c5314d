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

constexpr std::string_view kPreload = "LD_PRELOAD=", kHeir = "CLCSIM_HEIR=", kRun = "CLCSIM_RUN=";

pid_t heir = 0;

// As LD_LIBRARY_PATH leads to it: a path may have spaces, and LD_PRELOAD separates names by them.
std::string own_name() {
  Dl_info info = {};
  dladdr(&heir, &info);
  return std::strrchr(info.dli_fname, '/') + 1;
}

// What the heir of this process gets. An environment that doesn't name the run stays as it is.
class Inheritance {
 public:
  explicit Inheritance(char* const* variables) {
    bool of_run = false;
    for (; *variables != nullptr; ++variables) {
      const std::string_view variable = *variables;
      of_run |= variable.starts_with(kRun);
      if (variable.starts_with(kPreload)) {
        preload_ += ":" + std::string(variable.substr(kPreload.size()));
      } else {
        variables_.push_back(*variables);
      }
    }
    if (of_run) variables_.insert(variables_.end(), {preload_.data(), heir_.data()});
    variables_.push_back(nullptr);
  }
  Inheritance(const Inheritance&) = delete;
  Inheritance& operator=(const Inheritance&) = delete;

  char* const* variables() const { return variables_.data(); }

 private:
  std::string preload_ = std::string(kPreload) + own_name();
  std::string heir_ = std::string(kHeir) + std::to_string(getpid());
  std::vector<char*> variables_;
};

template <typename Target>
int become(const char* function, Target target, char* const* arguments, char* const* variables) {
  const auto next =
      reinterpret_cast<int (*)(Target, char* const*, char* const*)>(dlsym(RTLD_NEXT, function));
  Runtime* const runtime = Runtime::existing();
  if (is_heir() || (runtime != nullptr && runtime->before_exec())) {
    const Inheritance inheritance(variables);
    return next(target, arguments, inheritance.variables());
  }
  return next(target, arguments, variables);
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

// The list of execl() and its like as an array; on the stack, because a child by vfork() leaves
// behind what it has allocated.
#define CLCSIM_ARGUMENTS()                                                             \
  std::va_list list;                                                                   \
  va_start(list, first);                                                               \
  std::size_t count = 1;                                                               \
  for (const char* word = first; word != nullptr; word = va_arg(list, char*)) ++count; \
  va_end(list);                                                                        \
  const auto arguments = static_cast<char**>(__builtin_alloca(count * sizeof(char*))); \
  va_start(list, first);                                                               \
  arguments[0] = const_cast<char*>(first);                                             \
  for (std::size_t i = 1; i < count; ++i) arguments[i] = va_arg(list, char*)

CLCSIM_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  CLCSIM_ARGUMENTS();
  va_end(list);
  return become("execve", path, arguments, environ);
}
CLCSIM_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  CLCSIM_ARGUMENTS();
  va_end(list);
  return become("execvpe", file, arguments, environ);
}
CLCSIM_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  CLCSIM_ARGUMENTS();
  char* const* const variables = va_arg(list, char* const*);
  va_end(list);
  return become("execve", path, arguments, variables);
}

#undef CLCSIM_ARGUMENTS
