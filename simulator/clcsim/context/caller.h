// Who makes the calls, and what the context asks of it. There are two: a process with threads
// (process/), and a host of one thread (host/).
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "context/stream.h"

namespace clcsim::context {

class Caller {
 public:
  // ---- around each call ----

  /// A call begins; until end_call() no other one does. Returns what forbids it: then nothing has
  /// begun. Not `uses_gpu`: it only tells what the program holds.
  virtual cudaError_t begin_call(bool uses_gpu) = 0;
  virtual void end_call() = 0;

  // ---- waiting ----

  /// Runs the GPU until a time.
  virtual void run_to(Time when) = 0;
  /// Runs it until the condition holds. False where it never will; then why has been reported.
  virtual bool run_until(const std::function<bool()>& condition) = 0;
  /// The host has asked a great many times whether something has ended. Runs it by a step.
  virtual void asked_in_vain() = 0;

  // ---- what the program has put into streams ----

  virtual void launched() = 0;
  /// A function of the program: it will be called.
  virtual void function_expected() = 0;
  /// Its time has come. Context::function_returned() follows.
  virtual void call_function(std::function<void()> function, OperationPtr operation) = 0;

  // ---- the program's memory ----

  /// Whether the program has memory at all of these addresses.
  virtual bool is_mapped(std::uint64_t address, std::uint64_t size) const = 0;
  /// How many bytes from `address` on can be read.
  virtual std::size_t readable_bytes(const void* address) const = 0;
  /// Whether what lies here goes on until the program ends.
  virtual bool in_main_program(const void* address) const = 0;

  /// Where in the program's code the call was made that is under way; nullptr: it can't be told.
  virtual const void* place_of_call() const { return nullptr; }
  /// "main.cu:12 in main", as far as it is known.
  virtual std::string text_of_place(const void*) const { return {}; }

  // ---- what can't be run ----

  /// Something isn't modelled; the call fails.
  virtual void refuse(const std::string& sentence) = 0;
  /// The same of the whole program, which is called `program()`. Where it goes on, all that a call
  /// can do is to throw this.
  virtual Failure give_up(const std::string& sentence) = 0;
  virtual std::string program() const = 0;

 protected:
  ~Caller() = default;
};

}  // namespace clcsim::context
