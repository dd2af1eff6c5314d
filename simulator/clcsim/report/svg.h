// The few pieces of SVG that pictures are made of. Lengths along the time axis are in tenths of a
// pixel and whole numbers, so that every machine writes the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clcsim::report::svg {

/// "12.3" for 123.
std::string tenths(std::int64_t value);

/// Text between tags or in an attribute: escaped, and without bytes that XML forbids.
std::string escape(std::string_view text);

/// Roughly how wide a text is, in pixels; fonts differ.
int text_width(std::string_view text, int font_size);

/// "183,220".
std::string grouped(std::uint64_t value);

/// A closed rectangle as a piece of a path; x and width in tenths.
std::string box(std::int64_t x, int y, std::int64_t width, int height);

}  // namespace clcsim::report::svg
