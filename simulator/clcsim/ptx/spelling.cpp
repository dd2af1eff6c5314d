#include "ptx/spelling.h"

#include <algorithm>
#include <string_view>
#include <utility>

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

bool is_cache_hint(std::string_view part) {
  static constexpr std::string_view kHints[] = {"ca", "cg", "cs", "cv", "lu", "wb", "wt", "nc"};
  return is_one_of(part, kHints) || part.starts_with("L1::") || part.starts_with("L2::");
}

}  // namespace

Spelling spell(const ast::Opcode& opcode, const char* parameter) {
  static constexpr std::string_view kFamilies[] = {"ld",       "st", "atom",     "red",
                                                   "mbarrier", "cp", "ldmatrix", "stmatrix"};
  Spelling result;
  for (const std::string_view part : opcode.parts) {
    if (part == "L2::cache_hint") result.cache_policy = true;
  }
  if (!is_one_of(opcode.parts.front(), kFamilies)) {
    result.name = opcode.text;
    return result;
  }
  for (std::string_view part : opcode.parts) {
    if (is_cache_hint(part) || take_order(part, result.order) || take_scope(part, result.scope)) {
      continue;
    }
    if (part == "shared::cta") part = "shared";
    if (!result.name.empty()) result.name += '.';
    result.name += part;
    if (part == "param") result.name += parameter;
  }
  return result;
}

}  // namespace clcsim::ptx
