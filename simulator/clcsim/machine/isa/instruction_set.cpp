#include "machine/isa/instruction_set.h"

#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {

std::span<const Part> parts() {
  static constexpr Part kParts[] = {
      {"integer.cpp", add_integer}, {"logic.cpp", add_logic},
      {"float.cpp", add_float},     {"convert.cpp", add_convert},
      {"warp_wide.cpp", add_warp},  {"load_store.cpp", add_load_store},
      {"atomic.cpp", add_atomic},   {"fence.cpp", add_fence},
      {"control.cpp", add_control}, {"special.cpp", add_special},
      {"barrier.cpp", add_barrier}, {"mbarrier.cpp", add_mbarrier},
      {"async.cpp", add_async},     {"clc.cpp", add_clc},
      {"cluster.cpp", add_cluster}, {"dependent.cpp", add_dependent},
      {"hints.cpp", add_hints},     {"half.cpp", add_half},
      {"matrix.cpp", add_matrix},
  };
  return kParts;
}

namespace {

// Making a table is most of a small program's start. It isn't destroyed at the end, which would
// take a third of that.
const FormTable& make_table(bool halves) {
  auto* const table = new FormTable;
  for (const Part& part : parts()) {
    if (halves || part.add != add_half) part.add(*table);
  }
  return *table;
}

}  // namespace

const FormTable& instruction_set() {
  static const FormTable& table = make_table(true);
  return table;
}

const FormTable& instruction_set_for(std::string_view text) {
  if (text.find("f16") != text.npos) return instruction_set();
  static const FormTable& table = make_table(false);
  return table;
}

}  // namespace clcsim::machine::isa
