// What the tour's two kinds of charts share: a card in the page's colours, and how CLC stands out.
#pragma once

#include <string>

namespace clcsim::tour {

/// `words` as they stand in the file; `style`: classes of the card.
std::string text_at(double x, double y, const std::string& style, const std::string& words);

/// An SVG picture with its title at the top.
std::string card(int width, int height, const std::string& title, const std::string& body);

}  // namespace clcsim::tour
