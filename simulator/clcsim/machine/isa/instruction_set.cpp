#include "machine/isa/instruction_set.h"

#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {

// Each file adds its own forms.
// clang-format off
#define CLCSIM_FILES(FILE) \
  FILE(integer) FILE(logic) FILE(float) FILE(convert) FILE(warp_wide) FILE(load_store) \
  FILE(atomic) FILE(fence) FILE(control) FILE(special) FILE(barrier) FILE(mbarrier) \
  FILE(async) FILE(clc) FILE(cluster) FILE(dependent) FILE(hints) FILE(half) FILE(matrix) \
  FILE(product) FILE(tensor) FILE(tensor_memory) \
  FILE(tensor_product) FILE(warpgroup)
// clang-format on
#define CLCSIM_DECLARED(name) void add_##name(FormTable&);
#define CLCSIM_PART(name) {#name ".cpp", add_##name},

CLCSIM_FILES(CLCSIM_DECLARED)

std::span<const Part> parts() {
  static constexpr Part kParts[] = {CLCSIM_FILES(CLCSIM_PART)};
  return kParts;
}

namespace {

// Making a table is most of a small program's start. It isn't destroyed at the end, which would
// take a third of that.
const FormTable& make_table(bool all) {
  auto* const table = new FormTable;
  for (const Part& part : parts()) {
    const bool seldom = part.add == add_half || part.add == add_product ||
                        part.add == add_tensor_memory || part.add == add_tensor_product ||
                        part.add == add_warpgroup;
    if (all || !seldom) part.add(*table);
  }
  return *table;
}

}  // namespace

const FormTable& instruction_set() {
  static const FormTable& table = make_table(true);
  return table;
}

const FormTable& instruction_set_for(std::string_view text) {
  for (const char* word : {"f16", "e4m3", "e5m2", "mma.", "tcgen05"}) {
    if (text.find(word) != text.npos) return instruction_set();
  }
  static const FormTable& table = make_table(false);
  return table;
}

}  // namespace clcsim::machine::isa
