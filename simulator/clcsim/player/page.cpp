#include "player/page.h"

#include "config/options.h"
#include "player/page_parts.h"
#include "player/record.h"

namespace clcsim::player {
namespace {

constexpr const char* kRecord = "<script type=\"application/json\" id=\"record\">";
constexpr const char* kEnd = "</script>\n";

}  // namespace

std::string page_text(const std::string& record) {
  std::string page = kPageHead;
  page += std::string("<style>\n") + kPageStyle + kPlayerStyle + "</style>\n</head>\n" + kPageBody;
  page += "<footer>clcsim " + config::version() + "</footer>\n";
  page += kRecord + record + kEnd;
  return page + "<script type=\"module\">\n" + kPlayerScript + kPageScript +
         "</script>\n</body>\n</html>\n";
}

std::string player_script() {
  return kPlayerScript;
}

std::string player_style() {
  return kPlayerStyle;
}

std::string record_of_page(const std::string& page) {
  const std::string begin = kRecord;
  const std::string version = "{\"version\":" + std::to_string(kRecordVersion) + ",";
  const std::size_t at = page.find(begin);
  if (at == page.npos) return {};
  const std::size_t end = page.find(kEnd, at);
  const std::string record =
      end == page.npos ? "" : page.substr(at + begin.size(), end - at - begin.size());
  return record.starts_with(version) ? record : "";
}

}  // namespace clcsim::player
