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
    return all;
  }();
  return table;
}

}  // namespace clcsim::machine::isa
