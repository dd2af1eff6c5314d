#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {

const FormTable& instruction_set() {
  static const FormTable table = [] {
    FormTable all;
    add_integer(all);
    add_logic(all);
    add_float(all);
    add_convert(all);
    add_warp(all);
    add_load_store(all);
    add_atomic(all);
    add_fence(all);
    add_control(all);
    add_special(all);
    add_barrier(all);
    add_mbarrier(all);
    add_async(all);
    add_clc(all);
    add_cluster(all);
    return all;
  }();
  return table;
}

}  // namespace clcsim::machine::isa
