// One conformance case: a small kernel that exercises one instruction form, and its operands.
//
// Every kernel has the parameters (.param .u64 in, .param .u64 out). Thread i of N reads its k-th
// operand from in[k * N + i] and writes its k-th result to out[k * N + i], in slots of 8 bytes. So
// a failure can be shown as operands, expected and computed, whatever the kernel is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/form.h"

namespace clcsim::conformance {

struct Operand {
  std::string name;
  std::vector<std::uint64_t> values;  ///< one for each thread
};

struct Result {
  std::string name;
  int bits = 32;         ///< 1: a predicate
  bool any_nan = false;  ///< f32, and PTX leaves open which NaN it is
};

/// A tensor of 32-bit words in the operands or the results, whose map is the parameter `blob`.
struct Tensor {
  bool in_results = false;
  std::uint64_t offset = 0;
  std::vector<std::uint64_t> sizes, strides;
  std::vector<std::uint32_t> box;
  unsigned swizzle = 0;
};

struct Case {
  std::string form, signature;  ///< as FormTable has them
  std::string variant;          ///< what else tells cases of one form apart
  std::string family;           ///< cases of one family are one test
  std::string ptx;              ///< a whole module with the kernel `k`
  std::array<std::uint32_t, 3> grid{2, 1, 1}, block{128, 1, 1};
  std::uint32_t cluster = 1;
  const char* target = "sm_90";
  std::vector<std::uint8_t> parameter;  ///< a third parameter, `blob`, unless it is empty
  std::optional<Tensor> tensor;
  std::vector<Operand> operands;
  std::vector<Result> results;

  std::uint32_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  std::uint32_t count() const { return blocks() * threads(); }
  std::string name() const {
    return form + " (" + signature + (variant.empty() ? "" : ", " + variant) + ")";
  }
};

/// Cases for every form of the table but the exempt ones.
std::vector<Case> all_cases(const ptx::FormTable& table);

/// Why `form` can't be recorded; nullptr if it can.
const char* exemption(const ptx::Form& form);

/// The rules of kExempt whose forms have values that no test of the folder `tests` names.
std::vector<std::string> untested_exemptions(const std::string& tests);

// Each file adds the cases of its families.
void add_arithmetic_cases(std::vector<Case>&, const ptx::Form&);
void add_warp_cases(std::vector<Case>&, const ptx::Form&);
void add_register_cases(std::vector<Case>&, const ptx::Form&);
void add_load_cases(std::vector<Case>&, const ptx::Form&);
void add_store_cases(std::vector<Case>&, const ptx::Form&);
void add_address_cases(std::vector<Case>&, const ptx::Form&);
void add_atomic_cases(std::vector<Case>&, const ptx::Form&);
void add_fence_cases(std::vector<Case>&, const ptx::Form&);
void add_barrier_cases(std::vector<Case>&, const ptx::Form&);
void add_mbarrier_cases(std::vector<Case>&, const ptx::Form&);
void add_async_cases(std::vector<Case>&, const ptx::Form&);
void add_matrix_cases(std::vector<Case>&, const ptx::Form&);
void add_tensor_cases(std::vector<Case>&, const ptx::Form&);
void add_product_cases(std::vector<Case>&, const ptx::Form&);
void add_warpgroup_cases(std::vector<Case>&, const ptx::Form&);
void add_peer_cases(std::vector<Case>&, const ptx::Form&);
void add_control_cases(std::vector<Case>&, const ptx::Form&);

/// "ld.global.v4.f32" in parts.
std::vector<std::string> parts_of(const std::string& form);

}  // namespace clcsim::conformance
