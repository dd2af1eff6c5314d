// Device code that comes as PTX while the program runs: it holds none itself.
#include <cstdint>
#include <string>
#include <vector>

#include "check.h"

namespace {

// `add`: each block adds to its element, through dynamic shared memory. `second` does nothing.
const char* const kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 offset = 5;
.visible .global .attribute(.managed) .align 4 .u32 counter = 30;
.extern .shared .align 4 .b8 room[];
.visible .entry add(.param .u64 to, .param .u32 value)
{
  .reg .b32 %r<8>;
  .reg .b64 %a<4>;
  ld.param.u64 %a1, [to];
  ld.param.u32 %r1, [value];
  ld.global.u32 %r2, [offset];
  add.u32 %r3, %r1, %r2;
  st.shared.u32 [room], %r3;
  ld.shared.u32 %r3, [room];
  mov.u32 %r4, %ctaid.x;
  mul.wide.u32 %a2, %r4, 4;
  add.u64 %a3, %a1, %a2;
  ld.global.u32 %r5, [%a3];
  add.u32 %r6, %r5, %r3;
  st.global.u32 [%a3], %r6;
  atom.global.add.u32 %r7, [counter], 1;
  ret;
}
.visible .entry second() { ret; }
)";

cudaLibrary_t load(const char* code) {
  cudaLibrary_t library = nullptr;
  OK(cudaLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
  return library;
}

cudaKernel_t kernel_of(cudaLibrary_t library, const char* name) {
  cudaKernel_t kernel = nullptr;
  OK(cudaLibraryGetKernel(&kernel, library, name));
  return kernel;
}

void use(cudaLibrary_t library) {
  const cudaKernel_t add = kernel_of(library, "add");
  EXPECT(kernel_of(library, "add") == add && kernel_of(library, "second") != add);
  OK(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 90'000));
  cudaFuncAttributes facts = {};
  OK(cudaFuncGetAttributes(&facts, add));
  EXPECT(facts.maxDynamicSharedSizeBytes == 90'000 && facts.ptxVersion == 90);
  const char* name = nullptr;
  OK(cudaFuncGetName(&name, add));
  EXPECT(std::string(name) == "add");

  unsigned* to = nullptr;
  unsigned value = 100;
  OK(cudaMalloc(&to, 4 * sizeof *to));
  OK(cudaMemset(to, 0, 4 * sizeof *to));
  void* arguments[] = {&to, &value};
  OK(cudaLaunchKernel(add, 4, 1, arguments, 90'000, nullptr));
  unsigned* offset = nullptr;
  unsigned* counter = nullptr;
  std::size_t size = 0;
  OK(cudaLibraryGetGlobal(reinterpret_cast<void**>(&offset), &size, library, "offset"));
  OK(cudaLibraryGetGlobal(reinterpret_cast<void**>(&counter), nullptr, library, "counter"));
  const unsigned other = 7;
  OK(cudaMemcpy(offset, &other, size, cudaMemcpyHostToDevice));
  cudaLaunchConfig_t config = {};
  config.gridDim = 2;
  config.blockDim = 1;
  config.dynamicSmemBytes = 4;
  OK(cudaLaunchKernelEx(&config, add, to, value));
  std::vector<unsigned> result(4);
  OK(cudaMemcpy(result.data(), to, 16, cudaMemcpyDeviceToHost));
  EXPECT(size == 4 && result == std::vector<unsigned>{212, 212, 105, 105});
  EXPECT(*counter == 36);
  OK(cudaFree(to));
}

// What an H200 answers (driver 580.159.04, CUDA 13.0.88, 2026-11-23).
void errors() {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  void* address = nullptr;
  const auto load_data = [&](cudaLibrary_t* to, const void* code) {
    return cudaLibraryLoadData(to, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
  };
  EXPECT(load_data(nullptr, kPtx) == cudaErrorInvalidValue);
  EXPECT(load_data(&library, nullptr) == cudaErrorInvalidValue);
  EXPECT(cudaGetKernel(&kernel, &library) == cudaErrorInvalidDeviceFunction);
  EXPECT(cudaLibraryUnload(nullptr) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaLibraryGetKernel(&kernel, nullptr, "add") == cudaErrorInvalidResourceHandle);

  // PTX is read when the library is first used.
  for (const char* code : {"hello", "", ".version 8.0\n.target sm_121\n.address_size 64\n"}) {
    OK(cudaLibraryUnload(load(code)));
  }

  library = load(kPtx);
  EXPECT(cudaLibraryGetKernel(nullptr, library, "add") == cudaErrorInvalidValue);
  EXPECT(cudaLibraryGetKernel(&kernel, library, nullptr) == cudaErrorInvalidValue);
  EXPECT(cudaLibraryGetKernel(&kernel, library, "ad") == cudaErrorSymbolNotFound);
  EXPECT(cudaLibraryGetGlobal(&address, nullptr, library, "none") == cudaErrorSymbolNotFound);
  EXPECT(cudaLibraryGetGlobal(&address, nullptr, library, "add") == cudaErrorInvalidValue);
  EXPECT(cudaLibraryGetGlobal(nullptr, nullptr, library, "offset") == cudaErrorInvalidValue);
  const cudaKernel_t second = kernel_of(library, "second");
  OK(cudaLibraryUnload(library));
  EXPECT(cudaLibraryUnload(library) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaLibraryGetKernel(&kernel, library, "add") == cudaErrorInvalidResourceHandle);
  EXPECT(cudaLaunchKernel(second, 1, 1, nullptr, 0, nullptr) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

// A load that fails, or what was loaded fails at its first use.
void fails(const std::string& code, unsigned options = 0) {
  cudaLibrary_t library = nullptr;
  cudaJitOption option = cudaJitOptimizationLevel;
  void* value = nullptr;
  cudaError_t error =
      cudaLibraryLoadData(&library, code.c_str(), &option, &value, options, nullptr, nullptr, 0);
  cudaKernel_t kernel = nullptr;
  if (error == cudaSuccess) error = cudaLibraryGetKernel(&kernel, library, "add");
  std::printf("%s\n", cudaGetErrorName(error));
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kPtx;
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  if (way == "") {
    const cudaLibrary_t library = load(kPtx);
    use(library);
    use(load(kPtx));
    OK(cudaLibraryUnload(library));
    errors();
  }
  if (way == "no-ptx") fails("int main() {}");
  if (way == "no-register") fails(with("u32 %r1, [value]", "u32 %q1, [value]"));
  if (way == "other-gpu") fails(with("sm_90", "sm_120a"));
  if (way == "cubin")
    fails(
        "\x7f"
        "ELF");
  if (way == "empty-fatbin")
    fails(std::string("\x50\xed\x55\xba\1\0\x10\0", 8) + std::string(8, 0));
  if (way == "other-fatbin")
    fails(std::string("\x50\xed\x55\xba\t\0\x10\0", 8) + std::string(8, 0));
  if (way == "option") fails(kPtx, 1);
  if (way == "count") {
    unsigned count = 0;
    std::printf("%s\n", cudaGetErrorName(cudaLibraryGetKernelCount(&count, load(kPtx))));
  }
  if (way == "null-store") {
    void* nothing = nullptr;
    unsigned value = 0;
    void* arguments[] = {&nothing, &value};
    OK(cudaLaunchKernel(kernel_of(load(kPtx), "add"), 1, 1, arguments, 4, nullptr));
    cudaDeviceSynchronize();
  }
  return failures() != 0;
}
