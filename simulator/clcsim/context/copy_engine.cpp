#include "context/copy_engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "context/api.h"
#include "context/failure.h"
#include "context/host_cost.h"

namespace clcsim::context {
namespace {

// A large transfer books the memory bus piece by piece, so that kernels get their share of it.
constexpr std::uint64_t kPieceCycles = 1000;

std::size_t offset_of(const BoxPlace& place, std::size_t row, std::size_t slice) {
  return row * place.row_pitch + slice * place.slice_pitch;
}

bool is_dense(const BoxPlace& place, const Box& box) {
  return (box.height == 1 && box.depth == 1) ||
         (place.row_pitch == box.width &&
          (box.depth == 1 || place.slice_pitch == box.width * box.height));
}

void copy_box(std::byte* to, const BoxPlace& to_place, const std::byte* from,
              const BoxPlace& from_place, const Box& box) {
  if (is_dense(to_place, box) && is_dense(from_place, box)) {
    std::memmove(to, from, box.bytes());
    return;
  }
  for (std::size_t slice = 0; slice < box.depth; ++slice) {
    for (std::size_t row = 0; row < box.height; ++row) {
      std::memmove(to + offset_of(to_place, row, slice), from + offset_of(from_place, row, slice),
                   box.width);
    }
  }
}

void fill_row(std::byte* to, const Fill& fill) {
  if (fill.element == 1) {
    std::memset(to, static_cast<int>(fill.value), fill.box.width);
    return;
  }
  for (std::size_t i = 0; i < fill.box.width; i += fill.element) {
    std::memcpy(to + i, &fill.value, fill.element);
  }
}

}  // namespace

std::size_t extent(const BoxPlace& place, const Box& box) {
  using Wide = unsigned __int128;
  const Wide bytes =
      Wide{box.height - 1} * place.row_pitch + Wide{box.depth - 1} * place.slice_pitch + box.width;
  demand(bytes < machine::kHostEnd && Wide{box.width} * box.height < machine::kHostEnd &&
             Wide{box.width} * box.height * box.depth < machine::kHostEnd,
         cudaErrorInvalidValue);
  return static_cast<std::size_t>(bytes);
}

void CopyEngine::announce(const OperationPtr& operation, const void* call, const BoxPlace& place,
                          const Box& box, bool writes, bool fills) {
  if (writes) announce_written(place, box);
  if (!streams_.several() || !on_device(place.address)) return;
  const auto count = [](std::size_t n) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(n, ~std::uint32_t{0}));
  };
  const machine::HostAccess access{.standing = operation->standing,
                                   .call = call,
                                   .bytes = {.address = place.address,
                                             .bytes = count(box.width),
                                             .counts = {count(box.height), count(box.depth), 1, 1},
                                             .strides = {place.row_pitch, place.slice_pitch}},
                                   .writes = writes,
                                   .fills = fills};
  gpu_.notify(machine::kMemory,
              [&](machine::Observer& observer) { observer.host_accessed(access); });
}

void CopyEngine::announce_written(const BoxPlace& to, const Box& box) {
  if (!gpu_.watched(machine::kMemory) || !on_device(to.address)) return;
  for (std::size_t slice = 0; slice < box.depth; ++slice) {
    for (std::size_t row = 0; row < box.height; ++row) {
      gpu_.notify(machine::kMemory, [&](machine::Observer& observer) {
        observer.memory_filled(to.address + offset_of(to, row, slice), box.width);
      });
    }
  }
}

bool CopyEngine::on_device(std::uint64_t address) const {
  return gpu_.memory().translate(address, 1) != nullptr;
}

std::byte* CopyEngine::reach(const BoxPlace& place, const Box& box) const {
  const std::size_t size = extent(place, box);
  if (on_device(place.address)) return gpu_.memory().translate(place.address, size);
  if (place.address >= machine::kHostEnd - size) return nullptr;
  const bool mapped =
      caller_.is_mapped(place.address, 1) && caller_.is_mapped(place.address + size - 1, 1);
  return mapped ? reinterpret_cast<std::byte*>(place.address) : nullptr;
}

Copy CopyEngine::plan(BoxPlace to, BoxPlace from, Box box, cudaMemcpyKind kind) const {
  Copy copy{.to = to, .from = from, .box = box};
  demand(kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault,
         cudaErrorInvalidMemcpyDirection);
  demand(reach(to, box) != nullptr && reach(from, box) != nullptr, cudaErrorInvalidValue);
  const auto kind_at = [&](std::uint64_t address) {
    const machine::Allocation* found = gpu_.memory().find(address);
    return found == nullptr || found->freed ? nullptr : found;
  };
  const machine::Allocation* to_memory = kind_at(to.address);
  const machine::Allocation* from_memory = kind_at(from.address);
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const auto on_heap = [](const machine::Allocation* memory) {
    return memory != nullptr && memory->kind == machine::Allocation::Kind::heap;
  };
  // Programming Guide, "Dynamic Global Memory Allocation": not for the runtime's calls.
  demand(!on_heap(to_memory) && !on_heap(from_memory), cudaErrorInvalidValue);
  demand(!to_device || to_memory != nullptr, cudaErrorInvalidValue);
  demand(!from_device || from_memory != nullptr, cudaErrorInvalidValue);

  using Kind = machine::Allocation::Kind;
  const auto on_host = [](const machine::Allocation* memory) {
    return memory == nullptr || memory->kind == Kind::pinned;
  };
  copy.route = on_host(to_memory) ? (on_host(from_memory) ? Route::on_host : Route::to_host)
                                  : (on_host(from_memory) ? Route::to_device : Route::on_device);
  copy.pageable = to_memory == nullptr || from_memory == nullptr;
  return copy;
}

Fill CopyEngine::plan(BoxPlace to, Box box, unsigned value, std::size_t element) const {
  demand(on_device(to.address) && reach(to, box) != nullptr, cudaErrorInvalidValue);
  return {.to = to, .box = box, .value = value, .element = element};
}

void CopyEngine::cross_bus(Time when, std::uint64_t bytes, std::function<void(Time)> done) {
  gpu_.at(when, [this, bytes, done = std::move(done)]() mutable {
    const auto rate = static_cast<std::uint64_t>(gpu_.profile().memory_bytes_per_cycle);
    const std::uint64_t piece = std::min(bytes, kPieceCycles * rate);
    const Time end = gpu_.bus().copy_engine_transfer(gpu_.now(), piece);
    if (piece == bytes) {
      gpu_.at(end, [end, done = std::move(done)] { done(end); });
    } else {
      cross_bus(end, bytes - piece, std::move(done));
    }
  });
}

Time CopyEngine::cross_link(Time when, const Copy& copy) {
  Time& engine = copy.route == Route::to_device ? to_device_free_ : to_host_free_;
  const double gigabytes_per_second = !copy.pageable                   ? kPinnedGBs
                                      : copy.route == Route::to_device ? kPageableToDeviceGBs
                                                                       : kPageableToHostGBs;
  const double seconds =
      kCopyLatency * 1e-6 + static_cast<double>(copy.box.bytes()) / (gigabytes_per_second * 1e9);
  const double cycles = seconds * 1000.0 * gpu_.profile().clock_khz;
  return engine = std::max(engine, when) + static_cast<Time>(std::llround(cycles));
}

OperationPtr CopyEngine::enqueue(Stream& stream, Time issued, const Copy& copy, bool staged) {
  auto stage = std::make_shared<std::vector<std::byte>>();
  if (staged) {
    const std::byte* from = reach(copy.from, copy.box);
    stage->assign(from, from + extent(copy.from, copy.box));
  }
  return streams_.enqueue(
      stream, issued, nullptr,
      [this, copy, staged, stage, call = call()](const OperationPtr& self, Time when) {
        const auto carry_out = [this, copy, staged, stage, call, self](Time end) {
          // Memory that was freed on the way is not touched.
          std::byte* to = reach(copy.to, copy.box);
          const std::byte* from = staged ? stage->data() : reach(copy.from, copy.box);
          if (to != nullptr && from != nullptr) {
            copy_box(to, copy.to, from, copy.from, copy.box);
            announce(self, call, copy.from, copy.box, false, false);
            announce(self, call, copy.to, copy.box, true, false);
            gpu_.progress(end);
          }
          if (copy.route == Route::to_host)
            streams_.order().heard_of(self->standing);  // it may look
          streams_.finish(self, end);
        };
        if (copy.route == Route::on_device) {
          // Each byte passes the memory bus twice.
          const double latency = kCopyLatency * gpu_.profile().clock_khz / 1000.0;
          cross_bus(when + static_cast<Time>(latency), 2 * copy.box.bytes(), carry_out);
        } else {
          gpu_.at(when, [this, copy, carry_out] {
            const Time end = cross_link(gpu_.now(), copy);
            gpu_.at(end, [carry_out, end] { carry_out(end); });
          });
        }
      });
}

OperationPtr CopyEngine::enqueue(Stream& stream, Time issued, const Fill& fill) {
  return streams_.enqueue(
      stream, issued, nullptr, [this, fill, call = call()](const OperationPtr& self, Time when) {
        const double latency = kCopyLatency * gpu_.profile().clock_khz / 1000.0;
        cross_bus(when + static_cast<Time>(latency), fill.box.bytes(),
                  [this, fill, call, self](Time end) {
                    if (std::byte* to = reach(fill.to, fill.box)) {
                      for (std::size_t slice = 0; slice < fill.box.depth; ++slice) {
                        for (std::size_t row = 0; row < fill.box.height; ++row) {
                          fill_row(to + offset_of(fill.to, row, slice), fill);
                        }
                      }
                      announce(self, call, fill.to, fill.box, true, true);
                      gpu_.progress(end);
                    }
                    streams_.finish(self, end);
                  });
      });
}

}  // namespace clcsim::context
