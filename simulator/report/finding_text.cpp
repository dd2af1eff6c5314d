#include "report/finding_text.h"

#include <algorithm>
#include <cctype>

#include "report/source.h"

namespace clcsim::report {
namespace {

std::string text_of(const machine::Dim3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

// "=========   label   text"
std::string labelled(std::string label, const std::string& text) {
  label.resize(std::max<std::size_t>(label.size() + 1, 8), ' ');
  return std::string(kMargin) + "   " + label + text + "\n";
}

std::string quoted_line(const SourceLine& source) {
  const std::string text = text_of_line(source.file, source.line);
  if (text.empty()) return {};
  std::string number = std::to_string(source.line);
  number.insert(0, number.size() < 16 ? 16 - number.size() : 0, ' ');
  return kMargin + number + " |   " + text + "\n";
}

// The numbers of the source lines that a text mentions, as "line 44" or "file.cu:44".
std::string lines_in(const std::string& text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool named = text.compare(at, 5, "line ") == 0;
    const bool colon = text[at] == ':';
    if (!named && !colon) continue;
    std::size_t digit = at + (named ? 5 : 1);
    if (digit >= text.size() || !std::isdigit(static_cast<unsigned char>(text[digit]))) continue;
    while (digit < text.size() && std::isdigit(static_cast<unsigned char>(text[digit]))) {
      lines += text[digit++];
    }
    lines += ' ';
  }
  return lines;
}

}  // namespace

std::string text_of(const machine::Place& place) {
  if (place.program == nullptr) return {};
  const SourceLine source = source_of(*place.program, place.location);
  std::string text;
  if (!source.file.empty()) {
    text = source.file + ":" + std::to_string(source.line);
  } else if (place.location < place.program->locations.size()) {
    text = "PTX line " + std::to_string(place.program->locations[place.location].ptx_line) +
           " (compile with -lineinfo for the source line)";
  }
  text += (text.empty() ? "in " : " in ") + source.function;
  text += ", block " + text_of(place.block);
  if (place.has_thread) text += ", thread " + text_of(place.thread);
  return text;
}

std::string text_of(const machine::Finding& finding) {
  std::string text = std::string(kMargin) + " clcsim: ";
  text += finding.name.empty() ? "refused: " : "error [" + finding.name + "]: ";
  text += finding.what + "\n";
  if (finding.at.program != nullptr) {
    text += labelled("at", text_of(finding.at));
    text += quoted_line(source_of(*finding.at.program, finding.at.location));
  }
  for (const machine::Finding::Detail& detail : finding.details) {
    text += labelled(detail.label, detail.text);
  }
  if (!finding.rule.empty()) text += labelled("rule", finding.rule);
  if (!finding.fix.empty()) text += labelled("fix", finding.fix);
  return text;
}

std::string key_of(const machine::Finding& finding) {
  std::string key = finding.name.empty() ? finding.what : finding.name;
  if (finding.at.program != nullptr) {
    const SourceLine source = source_of(*finding.at.program, finding.at.location);
    key += "|" + source.file + ":" + std::to_string(source.line);
    // Without line information, instructions are told apart by their place in the program.
    if (source.file.empty()) {
      key += finding.at.program->name + "@" + std::to_string(finding.at.location);
    }
  }
  // Who of the two lines wrote is no matter of its own.
  const bool race = finding.name == "data-race";
  for (const machine::Finding::Detail& detail : finding.details) {
    key += "|" + (race ? std::string() : detail.label + " ") + lines_in(detail.text);
  }
  return key;
}

}  // namespace clcsim::report
