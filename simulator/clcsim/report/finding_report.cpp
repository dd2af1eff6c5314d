#include "report/finding_report.h"

#include <utility>

#include "report/finding_text.h"
#include "report/finding_words.h"
#include "report/json.h"
#include "report/source.h"

namespace clcsim::report {
namespace {

std::string json_index(const machine::Dim3& index) {
  return "[" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + "]";
}

std::string json_line(const SourceLine& source) {
  return "\"file\":" + json_string(source.file) + ",\"line\":" + std::to_string(source.line);
}

std::string json_place(const machine::Place& place) {
  if (place.program == nullptr) return {};
  const SourceLine source = source_of(*place.program, place.location);
  std::string text;
  if (source.line != 0) {
    text = "," + json_line(source);
  } else if (place.location < place.program->locations.size()) {
    text = ",\"ptx_line\":" + std::to_string(place.program->locations[place.location].ptx_line);
  }
  text += ",\"function\":" + json_string(source.function);
  text += ",\"block\":" + json_index(place.block);
  if (place.has_thread) text += ",\"thread\":" + json_index(place.thread);
  const std::vector<SourceLine> chain = chain_of(*place.program, place.location);
  if (chain.empty()) return text;
  text += ",\"chain\":[";
  const char* separator = "";
  for (const SourceLine& frame : chain) {
    text += std::exchange(separator, ",");
    text += "{" + json_line(frame) + ",\"function\":" + json_string(frame.function) +
            ",\"library\":" + (frame.library ? "true" : "false") + "}";
  }
  return text + "]";
}

// All but the count, which comes last.
std::string json_of(const machine::Finding& finding) {
  const std::string name = name_of(finding);
  std::string text = "{\"kind\":" + json_string(name.empty() ? "refusal" : "error");
  text += ",\"name\":" + json_string(name);
  text += ",\"what\":" + json_string(what_of(finding));
  text += json_place(finding.at);
  if (const std::uint32_t use = use_of(finding); use != ptx::kNoLocation) {
    text += ",\"use\":{" + json_line(source_of(*finding.at.program, use)) + "}";
  }
  text += ",\"details\":[";
  const char* separator = "";
  for (const machine::Finding::Detail& detail : finding.details) {
    text += std::exchange(separator, ",");
    text += "{\"label\":" + json_string(label_of(detail)) +
            ",\"text\":" + json_string(text_of(detail, finding.at)) + json_place(detail.place) +
            "}";
  }
  text += "],\"rule\":" + json_string(rule_of(finding));
  text += ",\"fix\":" + json_string(fix_of(finding));
  const std::string_view pitfall = pitfall_of(finding);
  return text + (pitfall.empty() ? "" : ",\"pitfall\":" + json_string(pitfall));
}

}  // namespace

void FindingReport::add(const machine::Finding& finding) {
  const auto [known, is_new] = by_key_.try_emplace(key_of(finding), entries_.size());
  if (is_new) {
    entries_.push_back({.name = name_of(finding),
                        .where = finding.at.program == nullptr ? "" : text_of(finding.at),
                        .json = json_of(finding)});
    if (!entries_.back().name.empty()) ++findings_;
    write_(text_of(finding));
  }
  ++entries_[known->second].count;
}

void FindingReport::write_summary() const {
  if (findings_ == 0) return;
  std::string text = std::string(kMargin) + " clcsim: " + std::to_string(findings_) +
                     (findings_ == 1 ? " finding\n" : " findings\n");
  for (const Entry& entry : entries_) {
    if (entry.count == 1 || entry.name.empty()) continue;
    text +=
        std::string(kMargin) + "   " + std::to_string(entry.count) + " times: [" + entry.name + "]";
    if (!entry.where.empty()) text += ", first at " + entry.where;
    text += "\n";
  }
  write_(text);
}

std::string FindingReport::json(std::uint64_t seed) const {
  std::string text = "{\"seed\":" + std::to_string(seed) + ",\"findings\":[";
  const char* separator = "\n";
  for (const Entry& entry : entries_) {
    text += std::exchange(separator, ",\n");
    text += entry.json + ",\"count\":" + std::to_string(entry.count) + "}";
  }
  return text + "\n]}\n";
}

}  // namespace clcsim::report
