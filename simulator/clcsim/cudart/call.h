// What every function of the runtime does around its work.
#pragma once

#include <driver_types.h>

#include <mutex>
#include <type_traits>

#include "cudart/host_cost.h"
#include "cudart/runtime.h"

namespace clcsim::cudart {

/// The error that cudaGetLastError() will return in this thread.
cudaError_t& last_error();

/// True in a function that the program gave to cudaLaunchHostFunc: the runtime can't be called.
bool& in_host_function();

/// Remembers an error for cudaGetLastError(). "Not ready" is no error.
inline cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error() = error;
  return error;
}

/// Runs `body(runtime)` as a call that takes the host so many microseconds. What it throws becomes
/// the result; no exception leaves this function.
template <class Body>
cudaError_t call(double microseconds, Body&& body) noexcept {
  if (in_host_function()) return remember(cudaErrorNotPermitted);
  Runtime& runtime = Runtime::get();
  if (runtime.inherited()) return remember(cudaErrorInitializationError);
  const std::lock_guard<Turn> turn(runtime.turn);
  try {
    runtime.note_call();
    runtime.spend(microseconds);
    body(runtime);
    return cudaSuccess;
  } catch (const Failure& failure) {
    return remember(failure.error);
  } catch (const std::bad_alloc&) {
    return remember(cudaErrorMemoryAllocation);
  }
}

/// A call that answers with *to = value, or value(runtime).
template <class T, class Value>
cudaError_t answer(T* to, Value&& value, double microseconds = kQuickCall) noexcept {
  return call(microseconds, [&](Runtime& runtime) {
    demand(to != nullptr, cudaErrorInvalidValue);
    if constexpr (std::is_invocable_v<Value, Runtime&>) {
      *to = value(runtime);
    } else {
      *to = value;
    }
  });
}

/// The same as call() for what the compiler's host code tells before main: it doesn't use the GPU
/// yet.
template <class Body>
void introduce(Body&& body) noexcept {
  Runtime& runtime = Runtime::get();
  if (runtime.inherited()) return;
  const std::lock_guard<Turn> turn(runtime.turn);
  body(runtime);
}

/// For a call that has no meaning here, or one that isn't modelled: prints so once.
cudaError_t refuse_call(const char* function, const char* why) noexcept;

}  // namespace clcsim::cudart
