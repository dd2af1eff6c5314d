#include "report/finding_text.h"

#include <algorithm>

#include "report/finding_words.h"
#include "report/source.h"

namespace clcsim::report {
namespace {

// Names and source lines are the program's: nothing in them may command the terminal.
std::string harmless(std::string text) {
  for (char& c : text) {
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f') c = '?';
  }
  return text;
}

// "=========   label   text"
std::string labelled(std::string label, const std::string& text) {
  label.resize(std::max<std::size_t>(label.size() + 1, 8), ' ');
  return std::string(kMargin) + "   " + label + harmless(text) + "\n";
}

std::string quoted_line(const SourceLine& source) {
  const std::string text = text_of_line(source);
  if (text.empty()) return {};
  std::string number = std::to_string(source.line);
  number.insert(0, number.size() < 16 ? 16 - number.size() : 0, ' ');
  return kMargin + number + " |   " + harmless(text) + "\n";
}

// "|file:line"; nothing where the program was compiled without line information.
std::string key_of(const machine::Place& place) {
  if (place.program == nullptr) return {};
  const SourceLine source = source_of(*place.program, place.location);
  return source.file.empty() ? "" : "|" + source.file + ":" + std::to_string(source.line);
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
  const std::string name = name_of(finding), rule = rule_of(finding), fix = fix_of(finding);
  std::string text = std::string(kMargin) + " clcsim: ";
  text += name.empty() ? "refused: " : "error [" + name + "]: ";
  text += harmless(what_of(finding)) + "\n";
  if (finding.at.program != nullptr) {
    text += labelled("at", text_of(finding.at));
    text += quoted_line(source_of(*finding.at.program, finding.at.location));
  }
  for (const machine::Finding::Detail& detail : finding.details) {
    text += labelled(label_of(detail), text_of(detail, finding.at));
  }
  if (!rule.empty()) text += labelled("rule", rule);
  if (!fix.empty()) text += labelled("fix", fix);
  return text;
}

std::string key_of(const machine::Finding& finding) {
  const std::string name = name_of(finding);
  std::string key = (name.empty() ? finding.text : name) + key_of(finding.at);
  // Without line information, instructions are told apart by their place in the program.
  if (finding.at.program != nullptr &&
      source_of(*finding.at.program, finding.at.location).file.empty()) {
    key += "|" + finding.at.program->name + "@" + std::to_string(finding.at.location);
  }
  // Who of the two lines wrote is no matter of its own.
  const bool race = finding.rule == machine::Rule::data_race;
  for (const machine::Finding::Detail& detail : finding.details) {
    key += "|" + (race ? std::string() : label_of(detail)) + key_of(detail.place) +
           key_of(detail.second);
  }
  return key;
}

}  // namespace clcsim::report
