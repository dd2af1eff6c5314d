#include "cudart/account.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "cudart/account_keeper.h"
#include "cudart/api.h"
#include "cudart/runtime.h"
#include "cudart/seal.h"

namespace {

using namespace clcsim;
using namespace clcsim::cudart;

constexpr int kFirstDescriptor = 200;  // far from those that a program opens

int descriptor = -1;
Sink sink = nullptr;  // instead
Key key = {};
std::uint64_t written_records = 0;

void write_all(const void* data, std::size_t size) {
  if (sink != nullptr) return sink(data, size);
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(descriptor, at, size);
    if (written <= 0) return;
    at += written, size -= static_cast<std::size_t>(written);
  }
}

void write_record(Record kind, const void* data, std::size_t size) {
  const RecordHead head = sealed(key, written_records++, kind, data, size);
  write_all(&head, sizeof head);
  write_all(data, size);
}

AccountKeeper& account_of(Runtime& runtime) {
  static AccountKeeper* const account = [&] {
    const std::string options = config::in_words(runtime.options(), runtime.profile());
    write_record(Record::opened, options.data(), options.size());
    auto* made = keep_account(runtime.gpu(), write_record).release();  // the GPU is never destroyed
    runtime.gpu().attach(made);
    return made;
  }();
  return *account;
}

// Takes descriptor and key out of the environment, and the text out of /proc/self/environ, before
// the constructors of the program.
[[gnu::constructor]] void take_descriptor() {
  char* const given = std::getenv("CLCSIM_ACCOUNT");
  if (given == nullptr) return;
  char* next = nullptr;
  const int open = static_cast<int>(std::strtol(given, &next, 10));
  for (std::uint64_t& part : key) part = std::strtoull(next, &next, 10);
  descriptor = fcntl(open, F_DUPFD_CLOEXEC, kFirstDescriptor);
  close(open);
  std::memset(given, ' ', std::strlen(given));
  unsetenv("CLCSIM_ACCOUNT");
}

int tell(Runtime& runtime, Tell what, const void* data, std::size_t bytes) {
  AccountKeeper& account = account_of(runtime);
  machine::DeviceMemory& memory = runtime.gpu().memory();
  switch (what) {
    case Tell::open:
      return 1;
    case Tell::seed:
      *static_cast<std::uint64_t*>(const_cast<void*>(data)) = runtime.options().seed;
      break;
    case Tell::note:
      write_record(Record::note, data, bytes);
      break;
    case Tell::watch: {
      const auto* const pointers = static_cast<const void* const*>(data);
      account.watch(std::bit_cast<std::uint64_t>(pointers[0]), bytes,
                    std::bit_cast<std::uint64_t>(pointers[1]));
      break;
    }
    case Tell::aside:
      account.watch_aside(std::bit_cast<std::uint64_t>(data), bytes);
      break;
    case Tell::watched:
      return account.end_watch() ? 0 : 1;
    case Tell::show: {
      const std::byte* host = memory.translate(std::bit_cast<std::uint64_t>(data), bytes);
      if (host == nullptr) return 1;
      write_record(Record::memory, host, bytes);
      break;
    }
    case Tell::end: {
      const auto findings = static_cast<std::uint32_t>(runtime.findings().findings());
      write_record(Record::end, &findings, sizeof findings);
      break;
    }
  }
  return 0;
}

}  // namespace

CLCSIM_EXPORT cudart::AccountFunction clcsim_account;

CLCSIM_EXPORT int clcsim_account(Tell what, const void* data, std::size_t bytes) {
  if (what == Tell::open) {
    if (descriptor >= 0 || sink != nullptr) return 1;
    sink = *static_cast<const Sink*>(data);
    return 0;
  }
  if (descriptor < 0 && sink == nullptr) return 1;
  Runtime& runtime = Runtime::get();
  if (runtime.inherited()) return 1;
  const std::lock_guard<Turn> turn(runtime.turn);
  return tell(runtime, what, data, bytes);
}
