// The few pieces of JSON that clcsim writes.
#pragma once

#include <string>
#include <string_view>

namespace clcsim::report {

/// A JSON string, quotes included. Bytes that are no UTF-8 are replaced.
std::string json_string(std::string_view text);

}  // namespace clcsim::report
