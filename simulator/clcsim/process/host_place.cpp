#include "process/host_place.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <vector>

#include "report/source.h"

namespace clcsim::process {
namespace {

// What a command prints; empty: it can't be run.
std::string output_of(std::vector<const char*> command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  command.push_back(nullptr);
  pid_t child = 0;
  const bool runs = posix_spawnp(&child, command[0], &actions, nullptr,
                                 const_cast<char* const*>(command.data()), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t size; runs && (size = ::read(ends[0], part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  if (runs) waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

std::string host_place(const void* address) {
  Dl_info file = {};
  link_map* map = nullptr;
  if (dladdr1(address, &file, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return {};
  // The call is before the place that it returns to.
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - map->l_addr - 1;
  const std::string path =
      *map->l_name == '\0' ? "/proc/" + std::to_string(getpid()) + "/exe" : map->l_name;
  std::string at = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) at += "0123456789abcdef"[offset >> shift & 15];
  // Two lines: the function, and "file:line", each "??" or "?" where it isn't known.
  const std::string said = output_of({"addr2line", "-Cfe", path.c_str(), at.c_str()});
  const std::size_t end = said.find('\n'), colon = said.find_last_of(':');
  if (end == said.npos || said.starts_with("??")) return {};
  const std::string function = said.substr(0, end);
  if (colon == said.npos || colon <= end + 1 || said[end + 1] == '?') return "in " + function;
  const std::size_t line = said.find_first_not_of("0123456789", colon + 1);
  return report::shown_path(said.substr(end + 1, colon - end - 1)) +
         said.substr(colon, line - colon) + " in " + function;
}

const void* host_caller() {
  struct Search {
    Dl_info own = {};
    const void* found = nullptr;
  } search;
  dladdr(reinterpret_cast<const void*>(&host_caller), &search.own);
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* to) {
        const auto address = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        Search& search = *static_cast<Search*>(to);
        Dl_info file = {};
        if (dladdr(address, &file) == 0) return _URC_END_OF_STACK;
        if (file.dli_fbase == search.own.dli_fbase) return _URC_NO_REASON;
        search.found = address;
        return _URC_END_OF_STACK;
      },
      &search);
  return search.found;
}

}  // namespace clcsim::process
