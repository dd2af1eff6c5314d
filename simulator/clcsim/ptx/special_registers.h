// The names of PTX's special registers.
#pragma once

#include <string_view>

namespace clcsim::ptx {

// "%tid.x", "%laneid", "%envreg12", also "WARP_SZ", which PTX counts as a constant.
// Source: PTX ISA 9.0, chapter 10.
bool is_special_register(std::string_view name);

}  // namespace clcsim::ptx
