#include "report/finding_report.h"

#include "report/finding_text.h"
#include "report/json.h"
#include "report/source.h"

namespace clcsim::report {
namespace {

std::string json_index(const machine::Dim3& index) {
  return "[" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + "]";
}

}  // namespace

void FindingReport::add(const machine::Finding& finding) {
  const auto [known, is_new] = by_key_.try_emplace(key_of(finding), entries_.size());
  if (is_new) {
    Entry entry{.finding = finding};
    if (finding.at.program != nullptr) {
      const SourceLine source = source_of(*finding.at.program, finding.at.location);
      entry.where = text_of(finding.at);
      entry.file = source.file;
      entry.function = source.function;
      entry.line = source.line;
    }
    entries_.push_back(std::move(entry));
    if (!finding.name.empty()) ++findings_;
    write_(text_of(finding));
  }
  ++entries_[known->second].count;
}

void FindingReport::write_summary() const {
  if (findings_ == 0) return;
  std::string text = std::string(kMargin) + " clcsim: " + std::to_string(findings_) +
                     (findings_ == 1 ? " finding\n" : " findings\n");
  for (const Entry& entry : entries_) {
    if (entry.count == 1 || entry.finding.name.empty()) continue;
    text += std::string(kMargin) + "   " + std::to_string(entry.count) + " times: [" +
            entry.finding.name + "]";
    if (!entry.where.empty()) text += ", first at " + entry.where;
    text += "\n";
  }
  write_(text);
}

std::string FindingReport::json() const {
  std::string text = "{\"findings\":[";
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const machine::Finding& finding = entry.finding;
    text += (i == 0 ? "\n" : ",\n");
    text += "{\"kind\":" + json_string(finding.name.empty() ? "refusal" : "error");
    text += ",\"name\":" + json_string(finding.name);
    text += ",\"what\":" + json_string(finding.what);
    text += ",\"count\":" + std::to_string(entry.count);
    if (finding.at.program != nullptr) {
      text += ",\"file\":" + json_string(entry.file);
      text += ",\"line\":" + std::to_string(entry.line);
      text += ",\"function\":" + json_string(entry.function);
      text += ",\"block\":" + json_index(finding.at.block);
      if (finding.at.has_thread) text += ",\"thread\":" + json_index(finding.at.thread);
    }
    text += ",\"details\":[";
    for (std::size_t d = 0; d < finding.details.size(); ++d) {
      text += (d == 0 ? "" : ",");
      text += "{\"label\":" + json_string(finding.details[d].label) +
              ",\"text\":" + json_string(finding.details[d].text) + "}";
    }
    text += "],\"rule\":" + json_string(finding.rule);
    text += ",\"fix\":" + json_string(finding.fix) + "}";
  }
  return text + "\n]}\n";
}

}  // namespace clcsim::report
