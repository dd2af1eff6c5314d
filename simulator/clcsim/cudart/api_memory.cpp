// Device, managed and pinned memory.

#include "cudart/api.h"
#include "cudart/call.h"

using namespace clcsim::cudart;

namespace {

using MemoryKind = Allocations::Kind;

constexpr std::size_t kPitch = 512;  // as on all GPUs of today

double mebibytes(std::size_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

void* allocate(Context& context, std::size_t size, MemoryKind kind, unsigned flags = 0,
               bool in_stream_order = false) {
  if (size == 0) return nullptr;
  context.demand_context();
  if (!in_stream_order) context.graphs().demand_safe();
  context.spend(mebibytes(size) * (kind == MemoryKind::pinned ? kPinMiB : kAllocateMiB));
  if (!in_stream_order) context.streams().order().heard_of_all();  // see HostOrder
  return context.allocations().allocate(size, kind, flags);
}

std::size_t round_to_pitch(std::size_t width) {
  demand(width <= ~std::size_t{0} - kPitch, cudaErrorMemoryAllocation);
  return (width + kPitch - 1) / kPitch * kPitch;
}

std::size_t product(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  demand(!__builtin_mul_overflow(a, b, &result), cudaErrorMemoryAllocation);
  return result;
}

void demand_uncaptured(Context& context, const Stream& stream, const char* function) {
  if (!stream.capturing()) return;
  context.refuse(std::string(function) +
                 " in a stream that captures is not modelled; clcsim's graphs allocate no memory");
}

// Waits for all that the GPU has to do, as the real one does.
cudaError_t free_memory(void* memory, void (Allocations::*free)(void*)) {
  return call(kFreeCall, [&](Context& context) {
    context.demand_context();
    if (memory == nullptr) return;
    context.graphs().demand_safe();
    context.wait_for_all();
    (context.allocations().*free)(memory);
  });
}

}  // namespace

cudaError_t cudaMalloc(void** memory, std::size_t size) {
  return call(kAllocateCall, [&](Context& context) {
    demand(memory != nullptr, cudaErrorInvalidValue);
    *memory = allocate(context, size, MemoryKind::device);
  });
}

cudaError_t cudaMallocManaged(void** memory, std::size_t size, unsigned flags) {
  return call(kAllocateCall, [&](Context& context) {
    demand(memory != nullptr, cudaErrorInvalidValue);
    demand(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost, cudaErrorInvalidValue);
    *memory = allocate(context, size, MemoryKind::managed);
  });
}

cudaError_t cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return call(kAllocateCall, [&](Context& context) {
    demand(memory != nullptr && pitch != nullptr, cudaErrorInvalidValue);
    *memory = allocate(context, product(round_to_pitch(width), height), MemoryKind::device);
    *pitch = round_to_pitch(width);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
  return call(kAllocateCall, [&](Context& context) {
    demand(memory != nullptr, cudaErrorInvalidValue);
    const std::size_t pitch = round_to_pitch(extent.width);
    memory->ptr =
        allocate(context, product(product(pitch, extent.height), extent.depth), MemoryKind::device);
    memory->pitch = pitch;
    memory->xsize = extent.width;
    memory->ysize = extent.height;
  });
}

cudaError_t cudaFree(void* memory) {
  return free_memory(memory, &Allocations::free_device);
}

// ---- in the order of a stream ----

cudaError_t cudaMallocAsync(void** memory, std::size_t size, cudaStream_t stream) {
  return call(kAllocateCall, [&](Context& context) {
    demand(memory != nullptr, cudaErrorInvalidValue);
    demand_uncaptured(context, context.streams().find(stream), "cudaMallocAsync");
    *memory = allocate(context, size, MemoryKind::device, 0, true);
  });
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return call(kFreeCall, [&](Context& context) {
    context.demand_context();
    Stream& found = context.streams().find(stream);
    if (memory == nullptr) return;
    demand_uncaptured(context, found, "cudaFreeAsync");
    context.allocations().begin_free(memory);
    context.streams().enqueue_marker(found, context.issue_time(), nullptr, [&context, memory] {
      context.allocations().free_now(memory);
    });
  });
}

// ---- the host's memory ----

cudaError_t cudaHostAlloc(void** memory, std::size_t size, unsigned flags) {
  constexpr unsigned kAllFlags =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  return call(kAllocateCall, [&](Context& context) {
    demand(memory != nullptr && (flags & ~kAllFlags) == 0, cudaErrorInvalidValue);
    // All pinned memory is mapped, and says so.
    *memory = allocate(context, size, MemoryKind::pinned, flags | cudaHostAllocMapped);
  });
}

cudaError_t cudaMallocHost(void** memory, std::size_t size) {
  return cudaHostAlloc(memory, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* memory) {
  return free_memory(memory, &Allocations::free_host);
}

cudaError_t cudaHostRegister(void* memory, std::size_t size, unsigned flags) {
  constexpr unsigned kAllFlags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                 cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  return call(kAllocateCall, [&](Context& context) {
    demand((flags & ~kAllFlags) == 0, cudaErrorInvalidValue);
    context.demand_context();
    context.allocations().add_host(memory, size, flags | cudaHostRegisterMapped);
    context.spend(mebibytes(size) * kPinMiB);
  });
}

cudaError_t cudaHostUnregister(void* memory) {
  return call(kFreeCall, [&](Context& context) {
    context.demand_context();
    context.wait_for_all();
    context.allocations().remove_host(memory);
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return call(kQuickCall, [&](Context& context) {
    demand(device != nullptr && flags == 0, cudaErrorInvalidValue);
    context.demand_context();
    context.allocations().flags_of(host);
    *device = host;  // the GPU sees the host's memory at the host's addresses
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return answer(flags, [&](Context& context) { return context.allocations().flags_of(host); });
}

// ---- questions and hints ----

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call(kQueryCall, [&](Context& context) {
    context.demand_context();
    const clcsim::machine::DeviceMemory& memory = context.gpu().memory();
    if (free != nullptr) *free = memory.capacity() - memory.used();
    if (total != nullptr) *total = memory.capacity();
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* facts, const void* pointer) {
  return call(kQuickCall, [&](Context& context) {
    demand(facts != nullptr, cudaErrorInvalidValue);
    *facts = {};
    facts->type = cudaMemoryTypeUnregistered;
    facts->device = -2;  // as the real runtime says
    facts->hostPointer = const_cast<void*>(pointer);
    const clcsim::machine::Allocation* found = context.gpu().memory().find(address_of(pointer));
    if (found == nullptr || found->freed) return;
    facts->device = 0;
    facts->devicePointer = const_cast<void*>(pointer);
    facts->type = found->kind == MemoryKind::managed  ? cudaMemoryTypeManaged
                  : found->kind == MemoryKind::pinned ? cudaMemoryTypeHost
                                                      : cudaMemoryTypeDevice;
    if (facts->type == cudaMemoryTypeDevice) facts->hostPointer = nullptr;
  });
}

// Managed memory needs no hints here: nothing migrates.
namespace clcsim::cudart {

cudaError_t advise(const void* memory, std::size_t size) {
  return call(kQueryCall, [&](Context& context) {
    context.demand_context();
    demand(context.gpu().memory().translate(address_of(memory), size) != nullptr,
           cudaErrorInvalidValue);
  });
}

cudaError_t prefetch(const void* memory, std::size_t size, unsigned flags, cudaStream_t stream) {
  return call(kCopyCall, [&](Context& context) {
    demand(flags == 0, cudaErrorInvalidValue);
    context.demand_context();
    context.streams().find(stream);
    demand(context.gpu().memory().translate(address_of(memory), size) != nullptr,
           cudaErrorInvalidValue);
  });
}

}  // namespace clcsim::cudart
