// What every function of the runtime does around its work.
#pragma once

#include <driver_types.h>

#include <new>
#include <type_traits>

#include "context/context.h"
#include "context/host_cost.h"

namespace clcsim::cudart {

using namespace context;  // what the functions do to it

/// The error that cudaGetLastError() will return in this thread.
cudaError_t& last_error();

/// Remembers an error for cudaGetLastError(). "Not ready" is no error.
inline cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error() = error;
  return error;
}

/// The same of the call that is under way, whatever has come of it.
inline cudaError_t ended(Context& context, cudaError_t error) {
  context.note_result(error);
  return remember(error);
}

/// From here on a call is under way. `error`: or it isn't, and why.
struct Entered {
  Entered(Caller& caller, bool uses_gpu) : caller(caller), error(caller.begin_call(uses_gpu)) {}
  ~Entered() {
    if (error == cudaSuccess) caller.end_call();
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

  Caller& caller;
  const cudaError_t error;
};

/// Runs `body(context)` as a call that takes the host so many microseconds. What it throws becomes
/// the result; no exception leaves this function.
template <class Body>
cudaError_t call(double microseconds, Body&& body) noexcept {
  Context& context = Context::current();
  const Entered entered(context.caller(), true);
  if (entered.error != cudaSuccess) return remember(entered.error);
  try {
    context.spend(microseconds);
    body(context);
    return ended(context, cudaSuccess);
  } catch (const Failure& failure) {
    return ended(context, failure.error);
  } catch (const std::bad_alloc&) {
    return ended(context, cudaErrorMemoryAllocation);
  }
}

/// A call that answers with *to = value, or value(context).
template <class T, class Value>
cudaError_t answer(T* to, Value&& value, double microseconds = kQuickCall) noexcept {
  return call(microseconds, [&](Context& context) {
    demand(to != nullptr, cudaErrorInvalidValue);
    if constexpr (std::is_invocable_v<Value, Context&>) {
      *to = value(context);
    } else {
      *to = value;
    }
  });
}

/// The same as call() for what the compiler's host code tells before main: it doesn't use the GPU
/// yet.
template <class Body>
void introduce(Body&& body) noexcept {
  Context& context = Context::current();
  const Entered entered(context.caller(), false);
  if (entered.error == cudaSuccess) body(context);
}

/// For a call that has no meaning here, or one that isn't modelled: prints so once.
cudaError_t refuse_call(const char* function, const char* why) noexcept;

}  // namespace clcsim::cudart
