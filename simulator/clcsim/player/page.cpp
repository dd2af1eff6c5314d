#include "player/page.h"

#include "config/options.h"
#include "player/page_parts.h"

namespace clcsim::player {

std::string page_text(const std::string& record) {
  std::string page = kPage;
  const auto put = [&](const std::string& mark, const std::string& text) {
    page.replace(page.find(mark), mark.size(), text);
  };
  put("<!-- version -->", config::version());
  put("<!-- record -->", record);
  return page;
}

}  // namespace clcsim::player
