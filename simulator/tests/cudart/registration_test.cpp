// The functions that nvcc's host code calls, with a fat binary made by hand.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "tests/ptx/fatbin_bytes.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* stub, char* function, const char* name,
                            int threads, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void** handle, char* host, char* address, const char* name, int ext,
                       std::size_t size, int constant, int global);
void __cudaRegisterManagedVar(void** handle, void** pointer, char* address, const char* name,
                              int ext, std::size_t size, int constant, int global);
char __cudaInitModule(void** handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void* stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void** arguments, std::size_t,
                               cudaStream_t);
}

namespace {

struct Wrapper {
  std::uint32_t magic = 0x466243b1, version = 1;
  const void* fatbin = nullptr;
  void* unused = nullptr;
};

const std::string kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 offset = 5;
.visible .global .attribute(.managed) .align 4 .u32 shared_number = 30;
.visible .entry twice(.param .u64 out, .param .u32 value)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  ld.global.u32 %r2, [offset];
  mad.lo.u32 %r3, %r1, 2, %r2;
  mov.u32 %r4, %tid.x;
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd3, %rd1, %rd2;
  add.u32 %r5, %r3, %r4;
  st.global.u32 [%rd3], %r5;
  ret;
}
)";

// Registers once, as static constructors do.
struct Program {
  Program()
      : fatbin(clcsim::ptx::fatbin(clcsim::ptx::entry({.architecture = 90, .payload = kPtx}))) {
    wrapper.fatbin = fatbin.data();
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &stub, &stub, "twice", -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    __cudaRegisterFunction(handle, &missing, &missing, "not_there", -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterVar(handle, &offset, &offset, "offset", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, &managed, reinterpret_cast<char*>(&managed), "shared_number",
                             0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
  }
  std::string fatbin;
  Wrapper wrapper;
  void** handle = nullptr;
  char stub = 0, missing = 0, offset = 0;
  void* managed = nullptr;
};

Program& program() {
  static Program once;
  return once;
}

}  // namespace

TEST_SUITE("registration") {
  TEST_CASE("the library is that of the headers") {
    int version = 0;
    CHECK(cudaRuntimeGetVersion(&version) == cudaSuccess);
    CHECK(version == CUDART_VERSION);
    cudaDeviceProp facts;
    std::memset(&facts, 0x55, sizeof facts);
    CHECK(cudaGetDeviceProperties(&facts, 0) == cudaSuccess);
    CHECK(std::string(facts.name) == "clcsim mini");
    CHECK(facts.major == 10);
    CHECK(facts.multiProcessorCount == 4);
    CHECK(facts.clusterLaunch == 1);
    CHECK(facts.sharedMemPerBlockOptin == 227 * 1024);
  }

  TEST_CASE("a kernel is launched as <<<>>> does it") {
    Program& p = program();
    std::uint32_t* out = nullptr;
    REQUIRE(cudaMallocManaged(reinterpret_cast<void**>(&out), 128, cudaMemAttachGlobal) ==
            cudaSuccess);
    REQUIRE(__cudaPushCallConfiguration(dim3(1), dim3(32), 0, nullptr) == 0);
    dim3 grid, block;
    std::size_t shared = 99;
    cudaStream_t stream = nullptr;
    CHECK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == cudaSuccess);
    CHECK(block.x == 32);
    CHECK(shared == 0);
    cudaKernel_t kernel = nullptr;
    CHECK(__cudaGetKernel(&kernel, &p.stub) == cudaSuccess);
    std::uint32_t value = 100;
    void* arguments[] = {&out, &value};
    CHECK(__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out[0] == 205);
    CHECK(out[31] == 236);

    // The host function itself is as good as the handle.
    const std::uint32_t more = 50;
    CHECK(cudaMemcpyToSymbol(&p.offset, &more, 4, 0, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaLaunchKernel(&p.stub, grid, block, arguments, 0, nullptr) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out[0] == 250);
  }

  TEST_CASE("a pop without a push") {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
    CHECK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream) ==
          cudaErrorMissingConfiguration);
    CHECK(cudaGetLastError() == cudaErrorMissingConfiguration);
  }

  TEST_CASE("managed variables are there once the module is initialised") {
    Program& p = program();
    CHECK(__cudaInitModule(p.handle) != 0);
    REQUIRE(p.managed != nullptr);
    CHECK(*static_cast<std::uint32_t*>(p.managed) == 30);
    void* address = nullptr;
    CHECK(cudaGetSymbolAddress(&address, p.managed) == cudaSuccess);
    CHECK(address == p.managed);
  }

  TEST_CASE("a kernel that the PTX doesn't hold, and parameters that are missing") {
    Program& p = program();
    CHECK(cudaLaunchKernel(&p.missing, dim3(1), dim3(1), nullptr, 0, nullptr) ==
          cudaErrorInvalidDeviceFunction);
    CHECK(cudaLaunchKernel(&p.stub, dim3(1), dim3(1), nullptr, 0, nullptr) ==
          cudaErrorInvalidValue);
    cudaFuncAttributes facts;
    CHECK(cudaFuncGetAttributes(&facts, &p.stub) == cudaSuccess);
    CHECK(facts.ptxVersion == 90);
    const char* name = nullptr;
    CHECK(cudaFuncGetName(&name, &p.stub) == cudaSuccess);
    CHECK(std::string(name) == "twice");
    cudaGetLastError();
  }

  TEST_CASE("a fat binary can be loaded, too") {
    const std::string code =
        clcsim::ptx::fatbin(clcsim::ptx::entry({.architecture = 90, .payload = kPtx}));
    cudaLibrary_t library = nullptr;
    REQUIRE(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) ==
            cudaSuccess);
    cudaKernel_t kernel = nullptr;
    CHECK(cudaLibraryGetKernel(&kernel, library, "twice") == cudaSuccess);
    CHECK(cudaLibraryUnload(library) == cudaSuccess);
  }
}
