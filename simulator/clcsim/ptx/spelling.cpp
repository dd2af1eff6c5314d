#include "ptx/spelling.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace clcsim::ptx {
namespace {

template <class T, std::size_t kCount>
bool take(std::string_view part, const std::pair<std::string_view, T> (&names)[kCount], T& to) {
  for (const auto& [name, value] : names) {
    if (part == name) return to = value, true;
  }
  return false;
}

bool take_order(std::string_view part, Order& order) {
  static constexpr std::pair<std::string_view, Order> kOrders[] = {
      {"weak", Order::weak},       {"volatile", Order::volatile_}, {"relaxed", Order::relaxed},
      {"acquire", Order::acquire}, {"release", Order::release},    {"acq_rel", Order::acq_rel}};
  return take(part, kOrders, order);
}

bool take_scope(std::string_view part, Scope& scope) {
  static constexpr std::pair<std::string_view, Scope> kScopes[] = {
      {"cta", Scope::cta}, {"cluster", Scope::cluster}, {"gpu", Scope::gpu}, {"sys", Scope::sys}};
  return take(part, kScopes, scope);
}

template <std::size_t kCount>
bool is_one_of(std::string_view part, const std::string_view (&names)[kCount]) {
  return std::find(std::begin(names), std::end(names), part) != std::end(names);
}

// Qualifiers that ptxas takes in any place, and that compilers and libraries have in different
// ones: they go to the end of a name, in this order. And those that say nothing.
struct Free {
  std::string_view family;
  std::vector<std::string_view> last, without_effect;
};

const Free* free_of(std::string_view family) {
  static const std::vector<std::string_view> kMatrix = {"x1", "x2", "x4", "trans", "shared", "b16"};
  static const Free kFree[] = {
      {"cp", {"multicast::cluster", "cta_group::2", "cp_mask"}, {"tile", "cta_group::1"}},
      {"ldmatrix", kMatrix, {}},
      {"stmatrix", kMatrix, {}},
      {"tcgen05",
       {"multicast::cluster"},
       {"collector::a::discard", "collector::a::fill", "collector::a::use",
        "collector::a::lastuse"}}};
  const auto free = std::find_if(std::begin(kFree), std::end(kFree),
                                 [&](const Free& entry) { return entry.family == family; });
  return free == std::end(kFree) ? nullptr : free;
}

bool is_cache_hint(std::string_view part) {
  static constexpr std::string_view kHints[] = {"ca", "cg", "cs", "cv", "lu", "wb", "wt", "nc"};
  return is_one_of(part, kHints) || part.starts_with("L1::") || part.starts_with("L2::");
}

}  // namespace

Spelling spell(const ast::Opcode& opcode, const char* parameter) {
  static constexpr std::string_view kFamilies[] = {"ld", "st",       "atom",     "red",  "mbarrier",
                                                   "cp", "ldmatrix", "stmatrix", "wmma", "tcgen05"};
  Spelling result;
  for (const std::string_view part : opcode.parts) {
    if (part == "L2::cache_hint") result.cache_policy = true;
  }
  if (!is_one_of(opcode.parts.front(), kFamilies)) {
    result.name = opcode.text;
    return result;
  }
  const Free* const free = free_of(opcode.parts.front());
  std::vector<std::string_view> last;
  const auto add = [&](std::string_view part) {
    if (!result.name.empty()) result.name += '.';
    result.name += part;
  };
  const auto among = [](const std::vector<std::string_view>& names, std::string_view part) {
    return std::find(names.begin(), names.end(), part) != names.end();
  };
  for (std::string_view part : opcode.parts) {
    if (is_cache_hint(part) || take_order(part, result.order) || take_scope(part, result.scope)) {
      continue;
    }
    if (part == "shared::cta") part = "shared";
    if (free != nullptr && among(free->without_effect, part)) continue;
    if (free != nullptr && among(free->last, part)) {
      last.push_back(part);
      continue;
    }
    add(part);
    if (part == "param") result.name += parameter;
  }
  if (free != nullptr) {
    for (const std::string_view part : free->last) {
      if (among(last, part)) add(part);
    }
  }
  return result;
}

}  // namespace clcsim::ptx
