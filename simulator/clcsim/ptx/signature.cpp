#include "ptx/signature.h"

#include <cstdio>
#include <cstdlib>

namespace clcsim::ptx {

std::vector<OperandSpec> parse_signature(std::string_view text) {
  std::vector<OperandSpec> result;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    OperandSpec spec;
    if (text[i] == '=') {
      spec.destination = true;
      ++i;
    }
    constexpr std::string_view kKinds = "prfldxqaiLB";
    if (i == text.size() || kKinds.find(text[i]) == kKinds.npos) {
      std::fprintf(stderr, "clcsim: bug: bad signature \"%.*s\"\n", static_cast<int>(text.size()),
                   text.data());
      std::abort();
    }
    spec.kind = text[i++];
    if (i < text.size() && text[i] >= '1' && text[i] <= '8') {
      spec.vector = true;
      spec.count = text[i++] - '0';
    }
    if (i < text.size() && text[i] == '?') {
      spec.optional = true;
      ++i;
    }
    result.push_back(spec);
  }
  return result;
}

}  // namespace clcsim::ptx
