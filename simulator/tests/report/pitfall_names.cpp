// Prints each pitfall that a finding may name, as machine/findings.def has them: "a", or "a or b".
#include <cstdio>
#include <string_view>

int main() {
  const auto print = [](std::string_view pitfall, auto&&...) {
    if (!pitfall.empty()) std::printf("%s\n", pitfall.data());
  };
#define TEXT(name, ...) constexpr std::string_view name = __VA_ARGS__;
#include "machine/findings.def"
#define RULE(id, ...) print(__VA_ARGS__);
#define WHAT(id, ...) print(__VA_ARGS__);
#define NOTE(id, ...) print(__VA_ARGS__);
#include "machine/findings.def"
}
