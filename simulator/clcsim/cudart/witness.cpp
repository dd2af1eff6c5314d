#include "cudart/witness.h"

#include <bit>
#include <mutex>

#include "cudart/api.h"
#include "cudart/runtime.h"
#include "cudart/witness_keeper.h"

namespace {

using namespace clcsim::cudart;

Witness& witness() {
  static Witness* const witness = [] {
    Runtime& runtime = Runtime::get();
    auto* made = new Witness(runtime.gpu());  // the GPU is never destroyed
    runtime.gpu().attach(made);
    return made;
  }();
  return *witness;
}

template <class Function>
auto in_turn(Function function) {
  const std::lock_guard<Turn> turn(Runtime::get().turn);
  return function(witness());
}

}  // namespace

CLCSIM_EXPORT unsigned long long clcsim_seed() {
  return Runtime::get().options().seed;
}

CLCSIM_EXPORT void clcsim_watch(const void* y, std::size_t bytes, const void* counters,
                                std::size_t size) {
  in_turn([&](Witness& witness) {
    witness.watch({std::bit_cast<std::uint64_t>(y), bytes},
                  {std::bit_cast<std::uint64_t>(counters), size});
  });
}

CLCSIM_EXPORT int clcsim_launches() {
  return in_turn([](Witness& witness) { return witness.launches(); });
}

CLCSIM_EXPORT LaunchSeen clcsim_launch(int number) {
  return in_turn([&](Witness& witness) { return witness.launch(number); });
}

CLCSIM_EXPORT const ElementSeen* clcsim_elements() {
  return in_turn([](Witness& witness) { return witness.elements(); });
}

CLCSIM_EXPORT void clcsim_verdict(const CheckVerdict& verdict) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<Turn> turn(runtime.turn);
  runtime.keep_verdict(verdict);
}
