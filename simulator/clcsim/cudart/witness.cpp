#include "cudart/witness.h"

#include <memory>

#include "cudart/api.h"
#include "cudart/call.h"
#include "cudart/witness_keeper.h"
#include "report/json.h"

namespace {

using namespace clcsim::cudart;

Witness& witness(Context& context) {
  if (context.attached() == nullptr) context.attach(std::make_unique<Witness>(context.gpu()));
  return static_cast<Witness&>(*context.attached());
}

// What `ask` answers, asked between two calls of the program's.
template <class Ask>
auto asked(const Ask& ask) {
  Context& context = Context::current();
  const Entered entered(context.caller(), false);
  return ask(context);
}

}  // namespace

CLCSIM_EXPORT unsigned long long clcsim_seed() {
  return Context::current().seed();
}

CLCSIM_EXPORT void clcsim_watch(const void* y, std::size_t bytes, const void* counters,
                                std::size_t size) {
  asked([&](Context& context) {
    witness(context).watch({address_of(y), bytes}, {address_of(counters), size});
  });
}

CLCSIM_EXPORT const LaunchSeen* clcsim_launch(int number) {
  return asked([&](Context& context) { return witness(context).launch(number); });
}

CLCSIM_EXPORT const std::uint32_t* clcsim_elements() {
  return asked([](Context& context) { return witness(context).elements(); });
}

CLCSIM_EXPORT void clcsim_verdict(const CheckVerdict& verdict) {
  clcsim::report::JsonWriter json;
  json.value([&] {
    json.members("code", verdict.code, "failed", verdict.failed, "text", verdict.text, "cycles",
                 verdict.cycles, "solution", verdict.solution, "must", verdict.must);
  });
  asked([&](Context& context) { context.keep_verdict(json.take()); });
}
