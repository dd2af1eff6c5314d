// For the files that define the runtime's functions: the toolkit's declarations, and what the
// functions share.
#pragma once

#include <tuple>

#include "context/api.h"
#include "context/stream.h"

namespace clcsim::cudart {

// What functions share whose structures changed with CUDA 13: api_versions.cpp.
cudaError_t advise(const void* memory, std::size_t size);
cudaError_t prefetch(const void* memory, std::size_t size, unsigned flags, cudaStream_t stream);

template <auto kFunction>
struct Parameters;
template <class... Types, cudaError_t (*kFunction)(Types...)>
struct Parameters<kFunction> {
  template <std::size_t kIndex>
  using At = std::tuple_element_t<kIndex, std::tuple<Types...>>;
};

}  // namespace clcsim::cudart

/// Programs compiled with --default-stream per-thread call functions whose names end in _ptsz (with
/// a stream) or _ptds (without): there, the default stream is one of the calling thread. This
/// defines name_ptsz by `name`, which has so many parameters.
#define CLCSIM_PER_THREAD(name, suffix, count)                              \
  CLCSIM_EXPORT cudaError_t name##suffix(CLCSIM_PARAMETERS_##count(name)) { \
    const clcsim::context::PerThreadDefault while_it_runs;                  \
    return name(CLCSIM_ARGUMENTS_##count);                                  \
  }
#define CLCSIM_PARAMETER(name, index) clcsim::cudart::Parameters<name>::At<index>
#define CLCSIM_PARAMETERS_1(name) CLCSIM_PARAMETER(name, 0) a
#define CLCSIM_PARAMETERS_2(name) CLCSIM_PARAMETERS_1(name), CLCSIM_PARAMETER(name, 1) b
#define CLCSIM_PARAMETERS_3(name) CLCSIM_PARAMETERS_2(name), CLCSIM_PARAMETER(name, 2) c
#define CLCSIM_PARAMETERS_4(name) CLCSIM_PARAMETERS_3(name), CLCSIM_PARAMETER(name, 3) d
#define CLCSIM_PARAMETERS_5(name) CLCSIM_PARAMETERS_4(name), CLCSIM_PARAMETER(name, 4) e
#define CLCSIM_PARAMETERS_6(name) CLCSIM_PARAMETERS_5(name), CLCSIM_PARAMETER(name, 5) f
#define CLCSIM_PARAMETERS_7(name) CLCSIM_PARAMETERS_6(name), CLCSIM_PARAMETER(name, 6) g
#define CLCSIM_PARAMETERS_8(name) CLCSIM_PARAMETERS_7(name), CLCSIM_PARAMETER(name, 7) h
#define CLCSIM_ARGUMENTS_1 a
#define CLCSIM_ARGUMENTS_2 a, b
#define CLCSIM_ARGUMENTS_3 a, b, c
#define CLCSIM_ARGUMENTS_4 a, b, c, d
#define CLCSIM_ARGUMENTS_5 a, b, c, d, e
#define CLCSIM_ARGUMENTS_6 a, b, c, d, e, f
#define CLCSIM_ARGUMENTS_7 a, b, c, d, e, f, g
#define CLCSIM_ARGUMENTS_8 a, b, c, d, e, f, g, h
