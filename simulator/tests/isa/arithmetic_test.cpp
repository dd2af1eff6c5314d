// What the conformance suite can't see: registers that are operand and result at once, what stands
// beside an operand, and forms that no GPU was there to record.
#include <cmath>
#include <limits>

#include "bench.h"

namespace clcsim::test {
namespace {

using ptx::kAbsent;

TEST_CASE("a negated predicate is an operand's own affair") {
  Bench bench;
  const Register c = bench.predicate(0x0000ffff), p = bench.predicate(0);
  const Register a = bench.all<std::uint32_t>(1), b = bench.all<std::uint32_t>(2);
  const Register d = bench.all<std::uint32_t>(0);
  bench.run("selp.b32", "=r r r p", {d.slot, a.slot, b.slot, c.slot, kAllLanes});
  CHECK(bench.get<std::uint32_t>(d, 0) == 2);
  CHECK(bench.get<std::uint32_t>(d, 31) == 1);
  // The result overwrites the predicate that it is combined with.
  bench.run("setp.eq.xor.u32", "=p =p? r r p", {c.slot, p.slot, a.slot, a.slot, c.slot, 0});
  CHECK(bench.get(c) == 0xffff0000);
  CHECK(bench.get(p) == 0x0000ffff);
}

TEST_CASE("a result may be its own operand") {
  Bench bench;
  const Register a = bench.lanes<std::uint32_t>([](int i) { return i + 1; });
  bench.run("mul.lo.u32", "=r r r", {a.slot, a.slot, a.slot});
  CHECK(bench.get<std::uint32_t>(a, 6) == 49);
  const Register whole = bench.all<std::uint32_t>(0x11223344);
  const Register high = bench.all<std::uint32_t>(0);
  bench.run("mov.b32", "=r2 r", {whole.slot, high.slot, whole.slot});
  CHECK(bench.get<std::uint32_t>(whole, 9) == 0x3344);
  CHECK(bench.get<std::uint32_t>(high, 9) == 0x1122);
  bench.run("mov.b32", "=r r2", {whole.slot, high.slot, whole.slot});
  CHECK(bench.get<std::uint32_t>(whole, 9) == 0x33441122);
}

TEST_CASE("16-bit operands: what stands above them doesn't matter") {
  Bench bench;
  const Register a = bench.all<std::uint32_t>(0xdead7fff), b = bench.all<std::uint32_t>(0xbeef0001);
  const Register d = bench.all<std::uint32_t>(0), p = bench.predicate(0);
  bench.run("add.s16", "=r r r", {d.slot, a.slot, b.slot});
  CHECK(bench.get<std::uint16_t>(d, 3) == 0x8000);
  bench.run("setp.gt.s16", "=p =p? r r", {p.slot, kAbsent, a.slot, b.slot});
  CHECK(bench.get(p) == kAllLanes);
  bench.run("shl.b16", "=r r r", {d.slot, a.slot, b.slot});
  CHECK(bench.get<std::uint16_t>(d, 3) == 0);  // the count has 32 bits: far too many
}

TEST_CASE("the carry belongs to the lane, and to no other instruction") {
  Bench bench;
  const Register a = bench.lanes<std::uint32_t>([](int i) { return i % 2 ? ~0u : 0u; });
  const Register one = bench.all<std::uint32_t>(1), zero = bench.all<std::uint32_t>(0);
  const Register d = bench.all<std::uint32_t>(0);
  bench.run("add.cc.u32", "=r r r", {d.slot, a.slot, one.slot});
  CHECK(bench.warp.carry == 0xaaaaaaaa);
  bench.run("add.cc.u32", "=r r r", {d.slot, zero.slot, zero.slot}, 0x0000ffff);
  CHECK(bench.warp.carry == 0xaaaa0000);
  bench.run("add.u32", "=r r r", {d.slot, a.slot, one.slot});
  CHECK(bench.warp.carry == 0xaaaa0000);
  bench.run("addc.u32", "=r r r", {d.slot, zero.slot, zero.slot});
  CHECK(bench.get<std::uint32_t>(d, 30) == 0);
  CHECK(bench.get<std::uint32_t>(d, 31) == 1);
}

TEST_CASE("a rounding mode ends with its instruction") {
  Bench bench;
  const Register a = bench.all<float>(1), tiny = bench.all<float>(0x1p-30f);
  const Register d = bench.all<float>(0);
  bench.run("add.rp.f32", "=f f f", {d.slot, a.slot, tiny.slot});
  CHECK(bench.get<float>(d, 4) == 0x1.000002p0f);
  bench.run("add.rz.f32", "=f f f", {d.slot, a.slot, tiny.slot}, 0x10);
  CHECK(bench.get<float>(d, 4) == 1);
  bench.run("add.f32", "=f f f", {d.slot, a.slot, tiny.slot});
  CHECK(bench.get<float>(d, 4) == 1);
  volatile float one = 1, third = 3;
  CHECK(one / third == 0x1.555556p-2f);
}

// ---- compute capability 10.0: by PTX's text alone ----

TEST_CASE("min.* and max.* of three (=f f f f) are those of two, twice") {
  const float values[] = {-5, 3, 0.5f, -0.0f, 0x1p-140f, std::numeric_limits<float>::quiet_NaN()};
  int forms = 0;
  for (const ptx::Form* form : machine::isa::instruction_set().all()) {
    if (form->signature != "=f f f f") continue;
    if (!form->name.starts_with("min.") && !form->name.starts_with("max.")) continue;
    CAPTURE(form->name);
    ++forms;
    std::string of_two = form->name;
    const std::size_t abs = of_two.find(".abs");
    if (abs != std::string::npos) of_two.erase(abs, 4);
    const auto sign = [&](float value) {
      return abs == std::string::npos ? value : std::fabs(value);
    };
    Bench bench;
    const auto first = [&](int i) { return values[i / 6]; };
    const auto second = [&](int i) { return values[i % 6]; };
    const Register a = bench.lanes<float>(first), b = bench.lanes<float>(second);
    const Register c = bench.all<float>(-3), d = bench.all<float>(0), e = bench.all<float>(0);
    bench.run(form->name, "=f f f f", {d.slot, a.slot, b.slot, c.slot});
    for (int i = 0; i < kLanes; ++i) {
      bench.put<float>(a, i, sign(first(i)));
      bench.put<float>(b, i, sign(second(i)));
      bench.put<float>(c, i, sign(-3));
    }
    bench.run(of_two, "=f f f", {e.slot, a.slot, b.slot});
    bench.run(of_two, "=f f f", {e.slot, e.slot, c.slot});
    for (int i = 0; i < kLanes; ++i)
      CHECK(bits_of(bench.get<float>(d, i)) == bits_of(bench.get<float>(e, i)));
  }
  CHECK(forms > 0);
}

TEST_CASE("what *.f32.f16 and *.f32.bf16 compute is what f32 computes of the widened operands") {
  int forms = 0;
  for (const ptx::Form* form : machine::isa::instruction_set().all()) {
    const bool two = form->signature == "=f r f", three = form->signature == "=f r r f";
    const std::string& name = form->name;
    if (!(two || three) || !(name.ends_with(".f32.f16") || name.ends_with(".f32.bf16"))) continue;
    CAPTURE(name);
    ++forms;
    Bench bench;
    const Register a = bench.lanes<uint32_t>([](int i) { return 0x0001u + 0x07c1u * i; });
    const Register b = bench.lanes<uint32_t>([](int i) { return 0xffffu - 0x0803u * i; });
    const Register c = bench.lanes<float>([](int i) { return 0x1.234568p-3f * (i - 16); });
    const Register x = bench.all<float>(0), y = bench.all<float>(0);
    const std::string format = name.substr(name.rfind('.'));
    bench.run("cvt.f32" + format, "=f r", {x.slot, a.slot});
    bench.run("cvt.f32" + format, "=f r", {y.slot, b.slot});
    const Register d = bench.all<float>(0), e = bench.all<float>(0);
    const std::string scalar = name.substr(0, name.size() - format.size());
    if (two) {
      bench.run(name, "=f r f", {d.slot, a.slot, c.slot});
      bench.run(scalar, "=f f f", {e.slot, x.slot, c.slot});
    } else {
      bench.run(name, "=f r r f", {d.slot, a.slot, b.slot, c.slot});
      bench.run(scalar, "=f f f f", {e.slot, x.slot, y.slot, c.slot});
    }
    for (int i = 0; i < kLanes; ++i)
      CHECK(bits_of(bench.get<float>(d, i)) == bits_of(bench.get<float>(e, i)));
  }
  CHECK(forms == 2 * (10 + 10 + 8));
  Bench bench;
  const Register one = bench.all(0x3c00u), small = bench.all(0x1p-20f), d = bench.all<float>(0);
  bench.run("sub.f32.f16", "=f r f", {d.slot, one.slot, small.slot});
  CHECK(bench.get<float>(d, 0) == 1 - 0x1p-20f);
}

TEST_CASE("what *.f32x2 computes is what f32 computes, in each half") {
  const float values[] = {1, 0x1p-30f, -0x1.fffffep3f, 0x1p-140f, 0x1.8p127f, -0.0f};
  const auto first = [&](int i) { return values[i / 6]; };
  const auto second = [&](int i) { return values[i % 6]; };
  const auto pair = [](float low, float high) {
    return std::uint64_t{bits_of(high)} << 32 | bits_of(low);
  };
  int forms = 0;
  for (const ptx::Form* form : machine::isa::instruction_set().all()) {
    if (!form->name.ends_with(".f32x2")) continue;
    CAPTURE(form->name);
    ++forms;
    const std::string scalar = form->name.substr(0, form->name.size() - 2);
    Bench bench;
    const Register x = bench.lanes<float>(first), y = bench.lanes<float>(second);
    const Register xy =
        bench.lanes<std::uint64_t>([&](int i) { return pair(first(i), second(i)); });
    const Register yx =
        bench.lanes<std::uint64_t>([&](int i) { return pair(second(i), first(i)); });
    const Register low = bench.all<float>(0), high = bench.all<float>(0);
    const Register both = bench.all<std::uint64_t>(0);
    if (form->signature == "=l l l l") {
      bench.run(form->name, "=l l l l", {both.slot, xy.slot, yx.slot, xy.slot});
      bench.run(scalar, "=f f f f", {low.slot, x.slot, y.slot, x.slot});
      bench.run(scalar, "=f f f f", {high.slot, y.slot, x.slot, y.slot});
    } else {
      bench.run(form->name, "=l l l", {both.slot, xy.slot, yx.slot});
      bench.run(scalar, "=f f f", {low.slot, x.slot, y.slot});
      bench.run(scalar, "=f f f", {high.slot, y.slot, x.slot});
    }
    for (int i = 0; i < kLanes; ++i)
      CHECK(bench.get<std::uint64_t>(both, i) ==
            pair(bench.get<float>(low, i), bench.get<float>(high, i)));
  }
  CHECK(forms > 0);
}

// The first two stand as constants in public kernels, which give them to copies as cache hints.
TEST_CASE("cache policies have the values that libraries compare them with") {
  Bench bench;
  const auto policy = [&](const char* name, float fraction) {
    const Register to = bench.all<std::uint64_t>(0), part = bench.all(fraction);
    CHECK(bench.run(name, "=l f?", {to.slot, part.slot}) == ptx::Step::next);
    return bench.get<std::uint64_t>(to, 31);
  };
  CHECK(policy("createpolicy.fractional.L2::evict_first.b64", 1) == 0x12f0000000000000);
  CHECK(policy("createpolicy.fractional.L2::evict_last.b64", 1) == 0x14f0000000000000);
  CHECK(policy("createpolicy.fractional.L2::evict_last.L2::evict_first.b64", 0.5f) ==
        0x1570000000000000);
}

}  // namespace
}  // namespace clcsim::test
