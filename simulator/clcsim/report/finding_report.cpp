#include "report/finding_report.h"

#include "machine/finding.h"
#include "report/finding_text.h"

namespace clcsim::report {
namespace {

void write(JsonWriter& json, const SourceLine& source) {
  json.members("file", source.file, "line", source.line);
}

void write(JsonWriter& json, const ResolvedPlace& place) {
  if (!place.known) return;
  if (place.source.line != 0) {
    write(json, place.source);
  } else if (place.ptx_line) {
    json.members("ptx_line", *place.ptx_line);
  }
  json.members("function", place.source.function, "block", place.block);
  if (place.has_thread) json.members("thread", place.thread);
  if (place.chain.empty()) return;
  json.array("chain", [&] {
    for (const SourceLine& frame : place.chain) {
      json.value([&] {
        write(json, frame);
        json.members("function", frame.function, "library", frame.library);
      });
    }
  });
}

}  // namespace

std::size_t FindingReport::add(const machine::Finding& finding) {
  const auto [known, is_new] = by_key_.try_emplace(key_of(finding), entries_.size());
  if (is_new) {
    entries_.push_back({resolve(finding)});
    const ResolvedFinding& resolved = entries_.back().finding;
    if (const Accepted::Entry* const by = accepted_.find(resolved)) {
      entries_.back().accepted = by->text;
      ++ignored_;
    } else {
      if (!resolved.name.empty()) ++(resolved.is_note ? notes_ : findings_);
      write_(text_of(resolved));
    }
  }
  ++entries_[known->second].count;
  return known->second;
}

void FindingReport::write_summary() const {
  std::string counts;
  const auto count_in = [&](std::size_t count, const std::string& word, const char* between) {
    if (count == 0) return;
    counts +=
        (counts.empty() ? " " : between) + std::to_string(count) + word + (count == 1 ? "" : "s");
  };
  count_in(findings_, " finding", "");
  count_in(notes_, " note", ", ");
  count_in(ignored_, " finding", "; ");
  if (ignored_ != 0) counts += " accepted";
  const std::string begin = std::string(kMargin) + " clcsim:";
  std::string text = counts.empty() ? "" : begin + counts + "\n";
  for (const auto& [finding, count, accepted] : entries_) {
    if (count == 1 || finding.name.empty() || !accepted.empty()) continue;
    text += std::string(kMargin) + (count < machine::kMostCounted ? "   " : "   at least ") +
            std::to_string(count) + " times: [" + finding.name + "]";
    if (finding.at.known) text += ", first at " + text_of(finding.at);
    if (!finding.host.empty()) text += ", at " + finding.host;
    text += "\n";
  }
  for (const std::string& entry : accepted_.not_needed()) {
    text += begin + " not needed in this run: " + entry + "\n";
  }
  if (!text.empty()) write_(text);
}

std::string FindingReport::json_elements() const {
  JsonWriter json;
  for (const Entry& entry : entries_) {
    json.new_line();
    json.value([&] { write(json, entry); });
  }
  return json.take();
}

void write(JsonWriter& json, const FindingReport::Entry& entry) {
  const ResolvedFinding& finding = entry.finding;
  const char* const kind = !entry.accepted.empty() ? "accepted"
                           : finding.name.empty()  ? "refusal"
                           : finding.is_note       ? "note"
                                                   : "error";
  json.members("kind", kind, "name", finding.name, "what", finding.what);
  if (!entry.accepted.empty()) json.members("accepted", entry.accepted);
  write(json, finding.at);
  if (!finding.host.empty()) json.members("host", finding.host);
  if (finding.use) json.members("use", [&] { write(json, *finding.use); });
  json.array("details", [&] {
    for (const ResolvedFinding::Detail& detail : finding.details) {
      json.value([&] {
        json.members("label", detail.label, "text", detail.text);
        write(json, detail.place);
      });
    }
  });
  json.members("rule", finding.rule, "fix", finding.fix);
  if (!finding.more.empty()) json.members("pitfall", finding.more);
  json.members("count", entry.count);
}

}  // namespace clcsim::report
