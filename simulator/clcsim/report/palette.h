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
    {"page", "#ffffff", "#0d1117"},
    {"text", "#1f2328", "#e6edf3"},
    {"soft", "#59636e", "#9da7b1"},
    {"line", "#8c959f", "#6e7681"},
    {"rule", "#d1d9e0", "#30363d"},
    {"field", "#f3f5f7", "#1c2128"},
    {"idle", "#e4e8ec", "#1f262e"},
    {"ink", "#1f2328", "#1f2328"},
    {"on-ink", "#ffffff", "#ffffff"},
    {"urgent", "#1f2328", "#ffffff"},
    {"on-urgent", "#ffffff", "#1f2328"},
    {"launch", "#afb8c1", "#afb8c1"},
    {"bad", "#b30f1d", "#ff7b7b"},
    {"good", "#0f6b2f", "#6fdc8c"},
    {"mark", "#0b57d0", "#6cb0ff"},
    {"link", "#0b57d0", "#79b8ff"},
    {"current", "#fff3c4", "#3d3200"},
    {"event", "#cfe3ff", "#12365f"},
    // c0 to c6: fills of blocks. Dark numbers are readable on them, and deuteranopes tell them
    // apart: a test measures both.
    {"c0", "#2ba7cc", "#2ba7cc"},
    {"c1", "#ffd863", "#ffd863"},
    {"c2", "#73a93f", "#73a93f"},
    {"c3", "#f9ceff", "#f9ceff"},
    {"c4", "#2e9cff", "#2e9cff"},
    {"c5", "#cde1aa", "#cde1aa"},
    {"c6", "#28ad87", "#28ad87"},
};

/// So many of the colours are fills of blocks.
constexpr unsigned kBlockColours = 7;

/// A style with a colour for each "$name".
std::string coloured(std::string_view style, bool dark);

}  // namespace clcsim::report
