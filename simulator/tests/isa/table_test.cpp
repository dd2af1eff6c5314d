// The table of forms as a whole.
#include <set>
#include <string>

#include "bench.h"
#include "ptx/signature.h"

namespace clcsim::test {
namespace {

TEST_CASE("no form is there twice, and each has a handler and a readable signature") {
  std::set<std::pair<std::string, std::string>> seen;
  for (const ptx::Form* form : machine::isa::instruction_set().all()) {
    CAPTURE(form->name);
    CHECK(seen.emplace(form->name, form->signature).second);
    CHECK((form->execute != nullptr));
    std::uint32_t entries = form->has_extra ? 1 : 0;
    for (const ptx::OperandSpec& spec : ptx::parse_signature(form->signature)) {
      const bool two = spec.kind == 'a' || (spec.kind == 'p' && !spec.destination);
      entries += spec.count * (two ? 2 : 1);
    }
    CHECK(entries <= ptx::Instruction{}.operand.size());
  }
  CHECK(seen.size() > 3000);
}

}  // namespace
}  // namespace clcsim::test
