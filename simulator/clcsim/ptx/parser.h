// Reads PTX text into the tree of ast.h.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "ptx/ast.h"

namespace clcsim::ptx {

// The text is no PTX, or PTX that the parser does not know. what() is one sentence that starts
// with the place: "PTX line 12, column 5: the register %r9 is not declared".
class ParseError : public std::runtime_error {
 public:
  ParseError(ast::TextPosition position, const std::string& sentence);
  ast::TextPosition position() const { return position_; }

 private:
  ast::TextPosition position_;
};

// The module in `text`, which is copied. Whether an instruction exists and its operands suit it is
// not checked here: the decoder does that. Throws ParseError, and nothing else for any text.
// Time and memory are linear in the length of the text.
ast::Module parse(std::string_view text);

}  // namespace clcsim::ptx
