// f16 and bf16: the conformance suite compares them with an H200; these are what its arguments
// leave out.
#include <string>

#include "bench.h"

namespace clcsim::test {
namespace {

using std::uint32_t;
using std::uint64_t;

// A hash of fma.oob's results for all 65,536 arguments, the other factor 1 and -2 added, as an H200
// gave them on 2026-11-22 (driver 580.159.04).
TEST_CASE("an argument out of bounds: every result is a GPU's") {
  struct Function {
    const char* name;
    uint32_t one, minus_two;
    uint64_t hash;
  };
  constexpr Function kFunctions[] = {
      {"fma.rn.oob.f16", 0x3c00, 0xc000, 0x64aa15274d2ed5ea},
      {"fma.rn.oob.bf16", 0x3f80, 0xc000, 0x99cad9aa2833c78a},
  };
  Bench bench;
  const Register a = bench.all(0u), b = bench.all(0u), c = bench.all(0u), d = bench.all(0u);
  for (const Function& function : kFunctions) {
    const std::string name = function.name;
    CAPTURE(name);
    uint64_t hash = 0xcbf29ce484222325, of_two = hash;
    const auto add = [](uint64_t& sum, uint32_t result) { sum = (sum ^ result) * 0x100000001b3; };
    const auto run = [&](const std::string& form) {
      bench.run(form, "=r r r r", {d.slot, a.slot, b.slot, c.slot});
    };
    for (uint32_t argument = 0; argument < 0x10000; argument += kLanes) {
      for (uint32_t i = 0; i < kLanes; ++i) {
        bench.put(a, static_cast<int>(i), argument + i);
        bench.put(b, static_cast<int>(i), function.one);
        bench.put(c, static_cast<int>(i), function.minus_two);
      }
      run(name);
      for (int i = 0; i < kLanes; ++i) add(hash, bench.get<uint32_t>(d, i));
      for (const Register& source : {a, b, c}) {
        for (int i = 0; i < kLanes; ++i) bench.put(source, i, bench.get<uint32_t>(source, i) << 16);
      }
      run(name + "x2");
      for (int i = 0; i < kLanes; ++i) add(of_two, bench.get<uint32_t>(d, i) >> 16);
    }
    CHECK(hash == function.hash);
    CHECK(of_two == function.hash);
  }
}

}  // namespace
}  // namespace clcsim::test
