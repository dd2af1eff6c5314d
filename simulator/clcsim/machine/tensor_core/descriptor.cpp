#include "machine/tensor_core/descriptor.h"

#include <initializer_list>
#include <utility>

namespace clcsim::machine::tensor_core {
namespace {

std::uint32_t field(std::uint64_t bits, int first, int last) {
  return static_cast<std::uint32_t>(bits >> first & ((std::uint64_t{2} << (last - first)) - 1));
}

Refusal not_modelled(const std::string& what) {
  return {FaultKind::unsupported, what + " is not modelled"};
}

}  // namespace

std::optional<Refusal> decode(std::uint64_t bits, char name, MatrixDescriptor& to,
                              Descriptor whose) {
  const std::string of = std::string(" of ") + name + "'s shared memory descriptor";
  const auto is = [&](int first, int last) {
    return "(bits " + std::to_string(first) + " to " + std::to_string(last) + of + ") is " +
           std::to_string(field(bits, first, last));
  };
  using Bits = std::pair<int, int>;
  const auto unused = [&](std::initializer_list<Bits> all) -> std::optional<Refusal> {
    for (const auto& [first, last] : all) {
      if (field(bits, first, last) == 0) continue;
      return wrong("what has no meaning " + is(first, last) + "; it must be 0");
    }
    return std::nullopt;
  };
  if (whose == Descriptor::wgmma) {
    if (auto refusal = unused({{14, 15}, {30, 31}, {46, 48}, {52, 61}})) return refusal;
  } else {
    if (field(bits, 46, 48) != 1) return wrong("the constant " + is(46, 48) + "; it must be 1");
    if (field(bits, 53, 60) != 0) return wrong("the constant " + is(53, 60) + "; it must be 0");
    if (auto refusal = unused({{14, 15}, {30, 31}})) return refusal;
  }
  static constexpr std::uint32_t kInvalid = 0xff, k32ByteAtoms = 0xfe;
  static constexpr std::uint32_t kSwizzles[] = {0, k32ByteAtoms, 3, kInvalid,
                                                2, kInvalid,     1, kInvalid};
  to.swizzle = kSwizzles[field(bits, 61, 63)];
  if (to.swizzle == kInvalid) {
    return wrong("the swizzling mode " + is(61, 63) + "; it must be 0, 1, 2, 4 or 6");
  }
  if (to.swizzle == k32ByteAtoms) {
    return not_modelled("the swizzling mode 1" + of + " (128 bytes with atoms of 32)");
  }
  if (field(bits, 52, 52) != 0) {
    return wrong("the leading dimension's stride mode (bit 52" + of +
                 ") is 1, an absolute address, which only sm_103a has");
  }
  if (field(bits, 49, 51) != 0) {
    return not_modelled("a matrix base offset other than 0 (bits 49 to 51" + of + ")");
  }
  to.start = field(bits, 0, 13) << 4;
  to.leading = field(bits, 16, 29) << 4;
  to.stride = field(bits, 32, 45) << 4;
  return std::nullopt;
}

std::optional<Refusal> decode(std::uint32_t bits, int group, InstructionDescriptor& to) {
  const auto is = [&](int first, int last) {
    return (first == last ? "(bit " + std::to_string(first)
                          : "(bits " + std::to_string(first) + " to " + std::to_string(last)) +
           " of the instruction descriptor) is " + std::to_string(field(bits, first, last));
  };
  if (field(bits, 2, 2) != 0)
    return wrong("sparsity " + is(2, 2) + ", but the instruction has no .sp");
  if (field(bits, 3, 3) != 0) return wrong("saturation " + is(3, 3) + ", but kind::f16 has none");
  for (const int reserved : {6, 23, 29}) {
    if (field(bits, reserved, reserved) == 0) continue;
    return wrong("what is reserved " + is(reserved, reserved) + "; it must be 0");
  }
  if (field(bits, 30, 31) != 0) {
    return wrong("the maximum shift " + is(30, 31) + ", but the instruction has no .ws");
  }
  const std::uint32_t d = field(bits, 4, 5), a = field(bits, 7, 9), b = field(bits, 10, 12);
  if (d > 1) return wrong("D's type " + is(4, 5) + "; kind::f16 has 0 (f16) and 1 (f32)");
  if (a > 1) return wrong("A's type " + is(7, 9) + "; kind::f16 has 0 (f16) and 1 (bf16)");
  if (b > 1) return wrong("B's type " + is(10, 12) + "; kind::f16 has 0 (f16) and 1 (bf16)");
  if (d == 0 && (a | b) != 0) {
    return wrong("D's type " + is(4, 5) + " (f16), but A or B is bf16: then it must be f32");
  }
  to.f32 = d == 1;
  to.a = {
      .bf16 = a == 1, .negated = field(bits, 13, 13) == 1, .mn_major = field(bits, 15, 15) == 1};
  to.b = {
      .bf16 = b == 1, .negated = field(bits, 14, 14) == 1, .mn_major = field(bits, 16, 16) == 1};
  to.m = field(bits, 24, 28) * 16;
  to.n = field(bits, 17, 22) * 8;
  const std::string whose = group == 1 ? " with .cta_group::1" : " with .cta_group::2";
  const std::uint32_t smallest = group == 1 ? 64 : 128, step = group == 1 ? 8 : 16;
  if (to.m != smallest && to.m != 2 * smallest) {
    return wrong("M / 16 " + is(24, 28) + ", so M is " + std::to_string(to.m) + "; it must be " +
                 std::to_string(smallest) + " or " + std::to_string(2 * smallest) + whose);
  }
  if (to.n == 0 || to.n > 256 || to.n % step != 0) {
    return wrong("N / 8 " + is(17, 22) + ", so N is " + std::to_string(to.n) +
                 "; it must be a multiple of " + std::to_string(step) + " up to 256" + whose);
  }
  return std::nullopt;
}

}  // namespace clcsim::machine::tensor_core
