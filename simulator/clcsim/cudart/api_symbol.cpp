// Variables of device code, which the host names by variables of its own.

#include "cudart/api.h"
#include "cudart/api_copy.h"
#include "cudart/call.h"

using namespace clcsim::cudart;

namespace {

BoxPlace in_symbol(Runtime& runtime, const void* symbol, std::size_t size, std::size_t offset) {
  const clcsim::machine::Allocation& memory = runtime.registry().variable(symbol);
  demand(offset <= memory.size && size <= memory.size - offset, cudaErrorInvalidValue);
  return {.address = memory.address + offset};
}

cudaError_t copy_to_symbol(const void* symbol, const void* from, std::size_t size,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                           bool asynchronous) {
  return call(kCopyCall, [&](Runtime& runtime) {
    demand(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
               kind == cudaMemcpyDefault,
           cudaErrorInvalidMemcpyDirection);
    runtime.demand_context();
    enqueue_copy(runtime, in_symbol(runtime, symbol, size, offset), {.address = address_of(from)},
                 {.width = size}, kind, stream, asynchronous);
  });
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                             cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
  return call(kCopyCall, [&](Runtime& runtime) {
    demand(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
               kind == cudaMemcpyDefault,
           cudaErrorInvalidMemcpyDirection);
    runtime.demand_context();
    enqueue_copy(runtime, {.address = address_of(to)}, in_symbol(runtime, symbol, size, offset),
                 {.width = size}, kind, stream, asynchronous);
  });
}

}  // namespace

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t size,
                               std::size_t offset, cudaMemcpyKind kind) {
  return copy_to_symbol(symbol, from, size, offset, kind, nullptr, false);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_from_symbol(to, symbol, size, offset, kind, nullptr, false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to_symbol(symbol, from, size, offset, kind, stream, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return copy_from_symbol(to, symbol, size, offset, kind, stream, true);
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return answer(address, [&](Runtime& runtime) {
    runtime.demand_context();
    return reinterpret_cast<void*>(runtime.registry().variable(symbol).address);
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* size, const void* symbol) {
  return answer(size, [&](Runtime& runtime) {
    runtime.demand_context();
    return runtime.registry().variable(symbol).size;
  });
}
