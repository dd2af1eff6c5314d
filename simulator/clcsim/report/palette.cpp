#include "report/palette.h"

#include <stdexcept>

namespace clcsim::report {

std::string coloured(std::string_view style, bool dark) {
  std::string text;
  while (!style.empty()) {
    const std::size_t dollar = style.find('$');
    text += style.substr(0, dollar);
    if (dollar == style.npos) break;
    style.remove_prefix(dollar + 1);
    const std::string name(
        style.substr(0, style.find_first_not_of("abcdefghijklmnopqrstuvwxyz-0123456789")));
    const Colour* found = nullptr;
    for (const Colour& colour : kPalette) {
      if (name == colour.name) found = &colour;
    }
    if (found == nullptr) throw std::logic_error("the palette has no colour '" + name + "'");
    text += dark ? found->dark : found->light;
    style.remove_prefix(name.size());
  }
  return text;
}

}  // namespace clcsim::report
