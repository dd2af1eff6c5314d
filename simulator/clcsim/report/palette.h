// The colours of a run: of its picture and of the player's page, which reads this file too
// (player/parts.cmake). One line for each.
#pragma once

#include <string>
#include <string_view>

namespace clcsim::report {

struct Colour {
  const char* name;
  const char* light;
  const char* dark;
};

constexpr Colour kPalette[] = {
    {"page", "#ffffff", "#131416"},
    {"text", "#1f2328", "#e6edf3"},
    {"soft", "#59636e", "#9da7b1"},
    {"line", "#8c959f", "#6e7681"},
    {"rule", "#d1d9e0", "#30363d"},
    {"field", "#f3f5f7", "#1c2128"},
    {"idle", "#e4e8ec", "#1f262e"},
    {"chip", "#dbe2ea", "#3a4656"},
    {"ink", "#1f2328", "#1f2328"},
    {"on-ink", "#ffffff", "#ffffff"},
    {"urgent", "#cf3a0b", "#ff8050"},
    {"on-urgent", "#ffffff", "#1b0b04"},
    {"launch", "#afb8c1", "#afb8c1"},
    {"bad", "#b30f1d", "#ff7b7b"},
    {"good", "#0f6b2f", "#6fdc8c"},
    {"mark", "#0b57d0", "#6cb0ff"},
    {"link", "#0b57d0", "#79b8ff"},
    {"current", "#fff3c4", "#3d3200"},
    {"event", "#cfe3ff", "#12365f"},
    // What a block does in a slot. Dark numbers are readable on them, and deuteranopes tell them
    // apart: a test measures both.
    {"setup", "#3f5167", "#5a6c83"},
    {"tile", "#8fbbe8", "#6fa8e0"},
    {"stolen", "#6fcf9f", "#5cc493"},
};

/// A style with a colour for each "$name".
std::string coloured(std::string_view style, bool dark);

}  // namespace clcsim::report
