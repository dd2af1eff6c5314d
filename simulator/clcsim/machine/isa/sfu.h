// The special function unit (SFU) of a GPU, bit for bit: what MUFU instructions compute.
//
// Each function is interpolated by a quadratic polynomial whose coefficients come from a table. The
// argument's upper bits choose the row, the next 17 bits (or fewer) are t:
//
//   c0 + c1 t + c2 t²,   where t² lacks the partial products below its 19th bit,
//
// computed exactly and cut off. The tables were recovered from an H200 (driver 580.159, sm_90):
// they reproduce all 2^23 or 2^24 results of each function over one or two binades.
#pragma once

#include <cstdint>

namespace clcsim::machine::isa::sfu {

// Subnormal arguments count as zero, subnormal results become zero, except tanh's.
float rcp(float x);
float rsqrt(float x);
float sqrt(float x);
float lg2(float x);
float ex2(float x);
float sin_of_turns(float x);  ///< sin(2 pi x)
float cos_of_turns(float x);
float tanh(float x);

// The upper half of a double goes in and comes out.
std::uint32_t rcp64(std::uint32_t high);
std::uint32_t rsqrt64(std::uint32_t high);

}  // namespace clcsim::machine::isa::sfu
