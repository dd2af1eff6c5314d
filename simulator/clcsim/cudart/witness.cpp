#include "cudart/witness.h"

#include <bit>
#include <mutex>

#include "cudart/api.h"
#include "cudart/runtime.h"
#include "cudart/witness_keeper.h"
#include "report/json.h"

namespace {

using namespace clcsim::cudart;

Witness& witness() {
  static Witness* const witness = [] {
    clcsim::machine::Gpu& gpu = Runtime::get().gpu();
    auto* made = new Witness(gpu);  // the GPU is never destroyed
    gpu.attach(made);
    return made;
  }();
  return *witness;
}

}  // namespace

CLCSIM_EXPORT unsigned long long clcsim_seed() {
  return Runtime::get().options().seed;
}

CLCSIM_EXPORT void clcsim_watch(const void* y, std::size_t bytes, const void* counters,
                                std::size_t size) {
  const std::lock_guard<Turn> turn(Runtime::get().turn);
  witness().watch({std::bit_cast<std::uint64_t>(y), bytes},
                  {std::bit_cast<std::uint64_t>(counters), size});
}

CLCSIM_EXPORT const LaunchSeen* clcsim_launch(int number) {
  const std::lock_guard<Turn> turn(Runtime::get().turn);
  return witness().launch(number);
}

CLCSIM_EXPORT const ElementSeen* clcsim_elements() {
  const std::lock_guard<Turn> turn(Runtime::get().turn);
  return witness().elements();
}

CLCSIM_EXPORT void clcsim_verdict(const CheckVerdict& verdict) {
  clcsim::report::JsonWriter json;
  json.value([&] {
    json.members("code", verdict.code, "failed", verdict.failed, "text", verdict.text, "cycles",
                 verdict.cycles, "solution", verdict.solution, "must", verdict.must);
  });
  const std::lock_guard<Turn> turn(Runtime::get().turn);
  Runtime::get().keep_verdict(json.take());
}
