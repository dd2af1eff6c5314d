#include "ptx/special_registers.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace clcsim::ptx {
namespace {

using namespace std::string_view_literals;

// These have the components .x .y .z .w.
constexpr std::array kVectors = {
    "%tid"sv,       "%ntid"sv,       "%ctaid"sv,         "%nctaid"sv,
    "%clusterid"sv, "%nclusterid"sv, "%cluster_ctaid"sv, "%cluster_nctaid"sv,
};

constexpr std::array kScalars = {
    "%laneid"sv,
    "%warpid"sv,
    "%nwarpid"sv,
    "%smid"sv,
    "%nsmid"sv,
    "%gridid"sv,
    "%is_explicit_cluster"sv,
    "%cluster_ctarank"sv,
    "%cluster_nctarank"sv,
    "%lanemask_eq"sv,
    "%lanemask_le"sv,
    "%lanemask_lt"sv,
    "%lanemask_ge"sv,
    "%lanemask_gt"sv,
    "%clock"sv,
    "%clock_hi"sv,
    "%clock64"sv,
    "%globaltimer"sv,
    "%globaltimer_lo"sv,
    "%globaltimer_hi"sv,
    "%reserved_smem_offset_begin"sv,
    "%reserved_smem_offset_end"sv,
    "%reserved_smem_offset_cap"sv,
    "%total_smem_size"sv,
    "%aggr_smem_size"sv,
    "%dynamic_smem_size"sv,
    "%current_graph_exec"sv,
    "WARP_SZ"sv,
};

struct Family {
  std::string_view prefix;
  unsigned count;
  std::string_view suffix;
};
constexpr std::array<Family, 4> kFamilies = {{
    {"%envreg", 32, ""},
    {"%pm", 8, ""},
    {"%pm", 8, "_64"},
    {"%reserved_smem_offset_", 2, ""},
}};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_member(const Family& family, std::string_view name) {
  if (!name.starts_with(family.prefix) || !name.ends_with(family.suffix)) return false;
  name.remove_prefix(family.prefix.size());
  if (name.size() < family.suffix.size()) return false;
  name.remove_suffix(family.suffix.size());
  unsigned number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() && number < family.count;
}

}  // namespace

bool is_special_register(std::string_view name) {
  if (contains(kScalars, name) || contains(kVectors, name)) return true;
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
    const std::string_view component = name.substr(dot + 1);
    return component.size() == 1 && std::string_view("xyzw").find(component) != component.npos &&
           contains(kVectors, name.substr(0, dot));
  }
  return std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](const Family& family) { return is_member(family, name); });
}

}  // namespace clcsim::ptx
