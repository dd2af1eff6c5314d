#include "report/accepted.h"

#include <fnmatch.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "report/rules.h"

namespace clcsim::report {
namespace {

constexpr const char* kDigits = "0123456789";

std::string where(const std::string& text, const std::string& from) {
  return (from.empty() ? "--ignore " : from + ": ") + text;
}

Accepted::Entry read_entry(const std::string& text, const std::string& from) {
  Accepted::Entry entry{.text = text, .from = from};
  const std::size_t at = std::min(text.find('@'), text.size());
  entry.rule = text.substr(0, at);
  const std::string place = text.substr(std::min(at + 1, text.size()));
  const std::size_t colon = place.rfind(':');
  entry.file = place.substr(0, colon);
  if (colon != place.npos) entry.line = place.substr(colon + 1);
  if (!is_rule(entry.rule)) {
    throw config::OptionError(where(text, from) +
                              " doesn't name a rule; clcsim --rules lists them");
  }
  if ((at != text.size() && entry.file.empty()) ||
      (colon != place.npos &&
       (entry.line.empty() || entry.line.find_first_not_of(kDigits) != entry.line.npos))) {
    throw config::OptionError(where(text, from) + " isn't RULE, RULE@FILE or RULE@FILE:LINE");
  }
  return entry;
}

std::vector<Accepted::Entry> read_list(const std::string& path) {
  std::ifstream file(path);
  std::vector<Accepted::Entry> entries;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    constexpr const char* kBlanks = " \t\r";
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == line.npos || line[begin] == '#') continue;
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    const std::size_t reason = line.find_first_not_of(kBlanks, end);
    const std::string from = path + ":" + std::to_string(number);
    entries.push_back(read_entry(line.substr(begin, end - begin), from));
    if (reason == line.npos) {
      throw config::OptionError(from + ": a reason must follow " + entries.back().text);
    }
  }
  if (!file.eof()) throw config::OptionError(path + " can't be read");
  return entries;
}

// "rope.py" and "models/r*.py" end "/home/me/models/rope.py".
bool ends(const std::string& pattern, const std::string& path) {
  for (std::size_t begin = 0; begin != path.npos;) {
    if (fnmatch(pattern.c_str(), path.c_str() + begin, FNM_PATHNAME) == 0) return true;
    begin = path.find('/', begin);
    if (begin != path.npos) ++begin;
  }
  return false;
}

bool covers(const Accepted::Entry& entry, const std::string& path, const std::string& line) {
  return ends(entry.file, path) && (entry.line.empty() || entry.line == line);
}

bool covers(const Accepted::Entry& entry, const ResolvedFinding& finding) {
  if (entry.rule != finding.name) return false;
  if (entry.file.empty()) return true;
  const auto at = [&](const SourceLine& source) {
    return covers(entry, source.path, std::to_string(source.line));
  };
  if (at(finding.at.source) || std::any_of(finding.at.chain.begin(), finding.at.chain.end(), at)) {
    return true;
  }
  const std::string host = finding.host.substr(0, finding.host.find(" in "));  // "file:line"
  const std::size_t colon = host.rfind(':');
  return colon != host.npos && covers(entry, host.substr(0, colon), host.substr(colon + 1));
}

}  // namespace

Accepted::Accepted(const config::Options& options) {
  std::istringstream words(options.ignore);
  for (std::string text; std::getline(words, text, ',');) entries_.push_back(read_entry(text, {}));
  if (options.ignore_file.empty()) return;
  for (Entry& entry : read_list(options.ignore_file)) entries_.push_back(std::move(entry));
}

std::vector<std::string> Accepted::not_needed() const {
  std::vector<std::string> texts;
  for (const Entry& entry : entries_) {
    if (!entry.used) texts.push_back(where(entry.text, entry.from));
  }
  return texts;
}

const Accepted::Entry* Accepted::find(const ResolvedFinding& finding) {
  const Entry* first = nullptr;
  for (Entry& entry : entries_) {
    if (!covers(entry, finding)) continue;
    entry.used = true;
    if (first == nullptr) first = &entry;
  }
  return first;
}

}  // namespace clcsim::report
