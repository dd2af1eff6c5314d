// What the functions of api_versions.cpp share. Structures that changed with CUDA 13:
// cudaDeviceProp (api_properties.cpp) and cudaPointerAttributes, which grew at its end.
#pragma once

#include <driver_types.h>

#include <cstddef>

namespace clcsim::cudart {

cudaError_t advise(const void* memory, std::size_t size);
cudaError_t prefetch(const void* memory, std::size_t size, unsigned flags, cudaStream_t stream);

}  // namespace clcsim::cudart
