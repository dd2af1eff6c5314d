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
    std::uint32_t entries = form->extra ? 1 : 0;
    for (const ptx::OperandSpec& spec : ptx::parse_signature(form->signature)) {
      const bool two = spec.kind == 'a' || (spec.kind == 'p' && !spec.destination);
      entries += spec.count * (two ? 2 : 1);
    }
    CHECK(form->is_long == (entries > ptx::kShortOperands));
  }
  CHECK(seen.size() > 3000);
}

// What an instruction does is told by its operands, too: a row without facts does not pass.
TEST_CASE("each form states what it does") {
  using ptx::Action;
  for (const ptx::Form* form : machine::isa::instruction_set().all()) {
    CAPTURE(form->name);
    const ptx::Facts& facts = form->facts;
    bool address = false, result = false, label = false;
    for (const ptx::OperandSpec& spec : form->operands) {
      address |= spec.kind == 'a';
      label |= spec.kind == 'L' || spec.kind == 'B';
      result |= spec.destination;
    }
    const bool computes = facts.action == Action::compute;
    if (address || label || !result) CHECK_FALSE(computes);
    if (form->unit == ptx::Unit::memory || form->unit == ptx::Unit::control) CHECK_FALSE(computes);
    if (facts.action == Action::load) CHECK(address);
    if (form->loads) CHECK(result);
    if (facts.action == Action::store || facts.action == Action::reduce) {
      CHECK((address && !result));
    }
    const bool ordered = facts.order != ptx::Order::weak;
    if (facts.action == Action::fence)
      CHECK((ordered && form->operands.empty() == (form->facts.proxy != ptx::Proxy::tensormap ||
                                                   form->facts.order == ptx::Order::release)));
    if (facts.action == Action::fence && facts.proxy == ptx::Proxy::generic) {
      CHECK((facts.scope != ptx::Scope::none));
    }
    if (facts.proxy != ptx::Proxy::generic) CHECK((facts.action == Action::fence));
  }
}

}  // namespace
}  // namespace clcsim::test
