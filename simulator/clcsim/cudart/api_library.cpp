// Libraries of device code: PTX that the program loads while it runs.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "cudart/api.h"
#include "cudart/call.h"
#include "cudart/host_pages.h"

using namespace clcsim::cudart;

namespace {

/// Where a compiler of the driver's would write what it has to say.
struct Log {
  char* buffer = nullptr;
  void** size = nullptr;  ///< holds the buffer's size, then how much is used

  void write(const std::string& text) const {
    if (size == nullptr) return;
    const auto capacity = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(*size));
    std::size_t used = 0;
    if (buffer != nullptr && capacity > 0) {
      used = std::min(text.size(), capacity - 1);
      std::memcpy(buffer, text.data(), used);
      buffer[used] = '\0';
    }
    *size = reinterpret_cast<void*>(std::uintptr_t{used});
  }
};

struct Logs {
  Log information, errors;
};

[[noreturn]] void refuse_option(Runtime& runtime, const char* function, const char* kind,
                                int option) {
  runtime.refuse(std::string(function) + " with " + kind + " option " + std::to_string(option) +
                 " is not modelled");
  throw Failure{cudaErrorNotSupported};
}

// What only changes machine code changes nothing here.
Logs read_jit_options(Runtime& runtime, const char* function, const cudaJitOption* options,
                      void** values, unsigned count) {
  demand(count == 0 || (options != nullptr && values != nullptr), cudaErrorInvalidValue);
  Logs logs;
  for (unsigned i = 0; i < count; ++i) {
    switch (options[i]) {
      case cudaJitInfoLogBuffer:
        logs.information.buffer = static_cast<char*>(values[i]);
        break;
      case cudaJitInfoLogBufferSizeBytes:
        logs.information.size = &values[i];
        break;
      case cudaJitErrorLogBuffer:
        logs.errors.buffer = static_cast<char*>(values[i]);
        break;
      case cudaJitErrorLogBufferSizeBytes:
        logs.errors.size = &values[i];
        break;
      case cudaJitWallTime:
        values[i] = nullptr;  // 0.0f milliseconds
        break;
      case cudaJitMaxRegisters:
      case cudaJitThreadsPerBlock:
      case cudaJitOptimizationLevel:
      case cudaJitFallbackStrategy:
      case cudaJitGenerateDebugInfo:
      case cudaJitLogVerbose:
      case cudaJitGenerateLineInfo:
      case cudaJitCacheMode:
      case cudaJitPositionIndependentCode:
      case cudaJitMinCtaPerSm:
        break;
      default:
        refuse_option(runtime, function, "the JIT", options[i]);
    }
  }
  return logs;
}

void load(Runtime& runtime, const char* function, cudaLibrary_t* library,
          std::span<const std::byte> code, const Logs& logs) {
  runtime.demand_context();
  try {
    Library* const loaded = runtime.libraries().load(code, runtime.registry(),
                                                     runtime.gpu().memory(), runtime.profile());
    *library = reinterpret_cast<cudaLibrary_t>(loaded);
    logs.errors.write(loaded->bad ? loaded->bad->sentence : "");
  } catch (const LoadError& error) {
    logs.errors.write(error.sentence);
    runtime.refuse(std::string(function) + ": " + error.sentence);
    throw Failure{error.error};
  }
  logs.information.write("");
}

Library& find(Runtime& runtime, cudaLibrary_t handle) {
  Library* const library = runtime.libraries().find(handle);
  demand(library != nullptr, cudaErrorInvalidResourceHandle);
  return *library;
}

Library& library_of(Runtime& runtime, cudaLibrary_t handle) {
  Library& library = find(runtime, handle);
  if (library.bad) {
    runtime.refuse("a library that the program loaded: " + library.bad->sentence);
    throw Failure{library.bad->error};
  }
  return library;
}

cudaKernel_t handle_of(const std::string& kernel) {
  return reinterpret_cast<cudaKernel_t>(const_cast<std::string*>(&kernel));
}

cudaError_t get_variable(void** address, std::size_t* size, cudaLibrary_t handle, const char* name,
                         bool managed) {
  return call(kQuickCall, [&](Runtime& runtime) {
    demand((address != nullptr || size != nullptr) && name != nullptr, cudaErrorInvalidValue);
    runtime.demand_context();
    const Library& library = library_of(runtime, handle);
    demand(std::find(library.kernels.begin(), library.kernels.end(), name) == library.kernels.end(),
           cudaErrorInvalidValue);
    const auto* variable = runtime.registry().load(*library.binary).variable(name);
    const bool found = variable != nullptr &&
                       (!managed || variable->kind == clcsim::machine::Allocation::Kind::managed);
    demand(found, cudaErrorSymbolNotFound);
    if (address != nullptr) *address = reinterpret_cast<void*>(variable->address);
    if (size != nullptr) *size = variable->size;
  });
}

}  // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption* jit,
                                void** jit_values, unsigned jit_count, cudaLibraryOption* options,
                                void** values, unsigned count) {
  constexpr const char* kName = "cudaLibraryLoadData";
  return call(kCreateCall, [&](Runtime& runtime) {
    const std::size_t readable = readable_bytes(code);
    demand(library != nullptr && readable > 0, cudaErrorInvalidValue);
    const Logs logs = read_jit_options(runtime, kName, jit, jit_values, jit_count);
    demand(count == 0 || (options != nullptr && values != nullptr), cudaErrorInvalidValue);
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] != cudaLibraryBinaryIsPreserved) {
        refuse_option(runtime, kName, "the library", options[i]);
      }
    }
    load(runtime, kName, library, {static_cast<const std::byte*>(code), readable}, logs);
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption* jit,
                                    void** jit_values, unsigned jit_count,
                                    cudaLibraryOption* options, void** values, unsigned count) {
  constexpr const char* kName = "cudaLibraryLoadFromFile";
  return call(kCreateCall, [&](Runtime& runtime) {
    demand(library != nullptr && path != nullptr, cudaErrorInvalidValue);
    const Logs logs = read_jit_options(runtime, kName, jit, jit_values, jit_count);
    demand(count == 0 || (options != nullptr && values != nullptr), cudaErrorInvalidValue);
    for (unsigned i = 0; i < count; ++i) {
      demand(options[i] != cudaLibraryBinaryIsPreserved, cudaErrorInvalidValue);
      refuse_option(runtime, kName, "the library", options[i]);
    }
    std::ifstream file(path, std::ios::binary);
    demand(file.is_open(), cudaErrorFileNotFound);
    const std::string code{std::istreambuf_iterator<char>(file), {}};
    load(runtime, kName, library, std::as_bytes(std::span(code)), logs);
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t handle) {
  return call(kFreeCall, [&](Runtime& runtime) {
    Library& library = find(runtime, handle);
    if (library.binary != nullptr)
      runtime.registry().forget(*library.binary, runtime.streams().idle());
    runtime.libraries().remove(&library);
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t handle, const char* name) {
  return call(kQuickCall, [&](Runtime& runtime) {
    demand(kernel != nullptr && name != nullptr, cudaErrorInvalidValue);
    const std::vector<std::string>& kernels = library_of(runtime, handle).kernels;
    const auto found = std::find(kernels.begin(), kernels.end(), name);
    demand(found != kernels.end(), cudaErrorSymbolNotFound);
    *kernel = handle_of(*found);
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t handle) {
  return answer(count, [&](Runtime& runtime) {
    return static_cast<unsigned>(library_of(runtime, handle).kernels.size());
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                        cudaLibrary_t handle) {
  return call(kQuickCall, [&](Runtime& runtime) {
    demand(kernels != nullptr || count == 0, cudaErrorInvalidValue);
    for (const std::string& name : library_of(runtime, handle).kernels) {
      if (count-- == 0) break;
      *kernels++ = handle_of(name);
    }
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* size, cudaLibrary_t library,
                                 const char* name) {
  return get_variable(address, size, library, name, false);
}

cudaError_t cudaLibraryGetManaged(void** address, std::size_t* size, cudaLibrary_t library,
                                  const char* name) {
  return get_variable(address, size, library, name, true);
}

// No function is shared by host and device.
cudaError_t cudaLibraryGetUnifiedFunction(void** address, cudaLibrary_t library, const char* name) {
  return call(kQuickCall, [&](Runtime& runtime) {
    demand(address != nullptr && name != nullptr, cudaErrorInvalidValue);
    library_of(runtime, library);
    throw Failure{cudaErrorInvalidValue};
  });
}
