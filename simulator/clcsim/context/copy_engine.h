// Copies and fills as operations of a stream, and how long they take.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "context/caller.h"
#include "context/stream.h"

namespace clcsim::context {

/// A box of bytes: rows of `width` bytes, `height` rows in a slice, `depth` slices.
struct Box {
  std::size_t width = 0, height = 1, depth = 1;
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  std::size_t bytes() const { return width * height * depth; }
};

/// Where a box lies.
struct BoxPlace {
  std::uint64_t address = 0;    ///< on the device or the host
  std::size_t row_pitch = 0;    ///< bytes from row to row
  std::size_t slice_pitch = 0;  ///< bytes from slice to slice
};

/// Bytes from the first to behind the last of a box. Throws Failure if there is no such memory.
std::size_t extent(const BoxPlace& place, const Box& box);

/// What a copy crosses.
enum class Route : std::uint8_t { on_device, to_device, to_host, on_host };

struct Copy {
  BoxPlace to, from;
  Box box;
  Route route = Route::on_device;
  bool pageable = false;  ///< the host's side is not pinned
};

struct Fill {
  BoxPlace to;
  Box box;
  std::uint32_t value = 0;
  std::size_t element = 1;  ///< bytes of the value that are repeated: 1, 2 or 4
};

class CopyEngine {
 public:
  CopyEngine(machine::Gpu& gpu, Streams& streams, const Caller& caller)
      : gpu_(gpu), streams_(streams), caller_(caller) {}

  /// Makes sure that all addresses can be reached, and finds the route. Throws Failure.
  Copy plan(BoxPlace to, BoxPlace from, Box box, cudaMemcpyKind kind) const;
  Fill plan(BoxPlace to, Box box, unsigned value, std::size_t element = 1) const;

  /// Reads the source when the operation ends, and not before: as late as a GPU may. With `staged`,
  /// the bytes are those at the time of the call.
  OperationPtr enqueue(Stream& stream, Time issued, const Copy& copy, bool staged);
  OperationPtr enqueue(Stream& stream, Time issued, const Fill& fill);

  /// Whether the GPU can reach the byte at this address.
  bool on_device(std::uint64_t address) const;

 private:
  void announce_written(const BoxPlace& to, const Box& box);
  /// Where a call has put a copy or a fill into a stream; nullptr: its order is that of all calls.
  const void* call() const { return streams_.several() ? caller_.place_of_call() : nullptr; }
  void announce(const OperationPtr& operation, const void* call, const BoxPlace& place,
                const Box& box, bool writes, bool fills);
  std::byte* reach(const BoxPlace& place, const Box& box) const;
  void cross_bus(Time when, std::uint64_t bytes, std::function<void(Time)> done);
  Time cross_link(Time when, const Copy& copy);

  machine::Gpu& gpu_;
  Streams& streams_;
  const Caller& caller_;
  Time to_device_free_ = 0, to_host_free_ = 0;  // each direction is an engine of its own
};

}  // namespace clcsim::context
