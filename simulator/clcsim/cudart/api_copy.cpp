// Copies and fills.
//
// Which of them the host waits for, and which not, follows "API synchronization behavior" in the
// runtime's documentation.

#include "context/allocations.h"
#include "cudart/api.h"
#include "cudart/api_graph.h"
#include "cudart/call.h"

namespace clcsim::cudart {
namespace {

// Up to here, the bytes of pageable memory are taken during an asynchronous call.
constexpr std::size_t kStagedBytes = 64 << 10;

BoxPlace line(const void* pointer) {
  return {.address = address_of(pointer)};
}

BoxPlace rows(const void* pointer, std::size_t pitch) {
  return {.address = address_of(pointer), .row_pitch = pitch};
}

BoxPlace slices(const cudaPitchedPtr& memory, const cudaPos& at) {
  return {.address = address_of(memory.ptr) + at.x + at.y * memory.pitch +
                     at.z * memory.pitch * memory.ysize,
          .row_pitch = memory.pitch,
          .slice_pitch = memory.pitch * memory.ysize};
}

// A call that waits, or an operation of the legacy default stream.
void demand_not_awaited(Context& context, const Stream& stream, bool asynchronous) {
  if (!asynchronous || !stream.capturing()) context.graphs().demand_executes(stream);
}

void enqueue_fill(Context& context, BoxPlace to, Box box, int value, cudaStream_t stream,
                  bool asynchronous) {
  context.demand_context();
  Stream& in = context.streams().find(stream);
  if (box.empty()) return;
  const Fill fill = context.copies().plan(to, box, static_cast<unsigned>(value));
  demand_not_awaited(context, in, asynchronous);
  const OperationPtr operation = context.graphs().put(in, fill_node(context, fill));
  if (!asynchronous) context.streams().order().heard_of_all();
  // The host waits for a fill of memory that it can see.
  const machine::Allocation* memory = context.gpu().memory().find(to.address);
  const bool visible = memory->kind == machine::Allocation::Kind::pinned ||
                       memory->kind == machine::Allocation::Kind::managed;
  if (!asynchronous && visible) context.wait_for(operation);
}

}  // namespace

Node copy_node(Context& context, const Copy& copy, bool staged) {
  return {.type = cudaGraphNodeTypeMemcpy, .work = [&context, copy, staged](Stream& stream, auto) {
            return context.copies().enqueue(stream, context.issue_time(), copy, staged);
          }};
}

Node fill_node(Context& context, const Fill& fill) {
  return {.type = cudaGraphNodeTypeMemset, .work = [&context, fill](Stream& stream, auto) {
            return context.copies().enqueue(stream, context.issue_time(), fill);
          }};
}

Copy plan_line(Context& context, void* to, const void* from, std::size_t size,
               cudaMemcpyKind kind) {
  return context.copies().plan(line(to), line(from), {.width = size}, kind);
}

Copy plan_slices(Context& context, const cudaMemcpy3DParms& request) {
  if (request.srcArray != nullptr || request.dstArray != nullptr) {
    context.refuse("cudaMemcpy3D with an array is not modelled; clcsim has no textures and arrays");
  }
  const cudaExtent& extent = request.extent;
  demand(extent.width <= request.srcPtr.pitch && extent.width <= request.dstPtr.pitch,
         cudaErrorInvalidPitchValue);
  return context.copies().plan(
      slices(request.dstPtr, request.dstPos), slices(request.srcPtr, request.srcPos),
      {.width = extent.width, .height = extent.height, .depth = extent.depth}, request.kind);
}

Fill plan_fill(Context& context, const cudaMemsetParams& request) {
  const std::size_t element = request.elementSize, width = request.width * element;
  demand((element == 1 || element == 2 || element == 4) && request.height != 0 &&
             (request.height == 1 || width <= request.pitch) &&
             address_of(request.dst) % element == 0,
         cudaErrorInvalidValue);
  return context.copies().plan(rows(request.dst, request.pitch),
                               {.width = width, .height = request.height}, request.value, element);
}

}  // namespace clcsim::cudart

using namespace clcsim::cudart;

namespace {

void enqueue_copy(Context& context, Stream& in, const Copy& copy, bool asynchronous) {
  demand_not_awaited(context, in, asynchronous);
  const bool staged = asynchronous && copy.pageable && copy.route == Route::to_device &&
                      copy.box.bytes() <= kStagedBytes && !in.capturing();
  const OperationPtr operation = context.graphs().put(in, copy_node(context, copy, staged));
  if (!asynchronous && copy.route == Route::on_device) context.streams().order().heard_of_all();
  const bool waits = asynchronous ? copy.pageable && !staged : copy.route != Route::on_device;
  if (waits && operation) context.wait_for(operation);
}

// Appends the copy to the stream and waits for it where the runtime's documentation says that the
// host does. Throws Failure.
void enqueue_copy(Context& context, BoxPlace to, BoxPlace from, Box box, cudaMemcpyKind kind,
                  cudaStream_t stream, bool asynchronous) {
  context.demand_context();
  Stream& in = context.streams().find(stream);
  if (box.empty()) return;
  enqueue_copy(context, in, context.copies().plan(to, from, box, kind), asynchronous);
}

cudaError_t copy_line(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                      cudaStream_t stream, bool asynchronous) {
  return call(kCopyCall, [&](Context& context) {
    enqueue_copy(context, line(to), line(from), {.width = size}, kind, stream, asynchronous);
  });
}

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind,
                      cudaStream_t stream, bool asynchronous) {
  return call(kCopyCall, [&](Context& context) {
    demand(width <= to_pitch && width <= from_pitch, cudaErrorInvalidPitchValue);
    enqueue_copy(context, rows(to, to_pitch), rows(from, from_pitch),
                 {.width = width, .height = height}, kind, stream, asynchronous);
  });
}

cudaError_t copy_slices(const cudaMemcpy3DParms* request, cudaStream_t stream, bool asynchronous) {
  return call(kCopyCall, [&](Context& context) {
    demand(request != nullptr, cudaErrorInvalidValue);
    context.demand_context();
    Stream& in = context.streams().find(stream);
    const cudaExtent& extent = request->extent;
    const bool empty = extent.width == 0 || extent.height == 0 || extent.depth == 0;
    if (!empty) enqueue_copy(context, in, plan_slices(context, *request), asynchronous);
  });
}

cudaError_t fill_line(void* to, int value, std::size_t size, cudaStream_t stream,
                      bool asynchronous) {
  return call(kCopyCall, [&](Context& context) {
    enqueue_fill(context, line(to), {.width = size}, value, stream, asynchronous);
  });
}

cudaError_t fill_rows(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                      cudaStream_t stream, bool asynchronous) {
  return call(kCopyCall, [&](Context& context) {
    demand(width <= pitch, cudaErrorInvalidValue);
    enqueue_fill(context, rows(to, pitch), {.width = width, .height = height}, value, stream,
                 asynchronous);
  });
}

cudaError_t fill_slices(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream,
                        bool asynchronous) {
  return call(kCopyCall, [&](Context& context) {
    demand(extent.width <= to.pitch, cudaErrorInvalidValue);
    enqueue_fill(context, slices(to, {}),
                 {.width = extent.width, .height = extent.height, .depth = extent.depth}, value,
                 stream, asynchronous);
  });
}

BoxPlace in_symbol(Context& context, const void* symbol, std::size_t size, std::size_t offset) {
  const clcsim::machine::Allocation& memory = context.registry().variable(symbol);
  demand(offset <= memory.size && size <= memory.size - offset, cudaErrorInvalidValue);
  return {.address = memory.address + offset};
}

cudaError_t copy_to_symbol(const void* symbol, const void* from, std::size_t size,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                           bool asynchronous) {
  return call(kCopyCall, [&](Context& context) {
    demand(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
               kind == cudaMemcpyDefault,
           cudaErrorInvalidMemcpyDirection);
    context.demand_context();
    enqueue_copy(context, in_symbol(context, symbol, size, offset), {.address = address_of(from)},
                 {.width = size}, kind, stream, asynchronous);
  });
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t offset,
                             cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
  return call(kCopyCall, [&](Context& context) {
    demand(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
               kind == cudaMemcpyDefault,
           cudaErrorInvalidMemcpyDirection);
    context.demand_context();
    enqueue_copy(context, {.address = address_of(to)}, in_symbol(context, symbol, size, offset),
                 {.width = size}, kind, stream, asynchronous);
  });
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  return copy_line(to, from, size, kind, nullptr, false);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy_line(to, from, size, kind, stream, true);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, nullptr, false);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream, true);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* request) {
  return copy_slices(request, nullptr, false);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* request, cudaStream_t stream) {
  return copy_slices(request, stream, true);
}

// There is one device, so a copy between devices stays on it.
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t size) {
  if (to_device != 0 || from_device != 0) return remember(cudaErrorInvalidDevice);
  return copy_line(to, from, size, cudaMemcpyDeviceToDevice, nullptr, false);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t size, cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return remember(cudaErrorInvalidDevice);
  return copy_line(to, from, size, cudaMemcpyDeviceToDevice, stream, true);
}

cudaError_t cudaMemset(void* to, int value, std::size_t size) {
  return fill_line(to, value, size, nullptr, false);
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t size, cudaStream_t stream) {
  return fill_line(to, value, size, stream, true);
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return fill_rows(to, pitch, value, width, height, nullptr, false);
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return fill_rows(to, pitch, value, width, height, stream, true);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill_slices(to, value, extent, nullptr, false);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return fill_slices(to, value, extent, stream, true);
}

// ---- variables of device code, which the host names by variables of its own ----

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
  return answer(address, [&](Context& context) {
    context.demand_context();
    return pointer_to(context.registry().variable(symbol).address);
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* size, const void* symbol) {
  return answer(size, [&](Context& context) {
    context.demand_context();
    return context.registry().variable(symbol).size;
  });
}
