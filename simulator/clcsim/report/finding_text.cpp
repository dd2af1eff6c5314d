#include "report/finding_text.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <vector>

#include "report/table.h"

namespace clcsim::report {
namespace {

// Names and source lines are the program's: nothing in them may begin a line or command the
// terminal.
std::string one_line(std::string text) {
  for (char& c : text) {
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f') c = '?';
  }
  return text;
}

std::string quoted_line(const SourceLine& source) {
  const std::string text = text_of_line(source);
  if (text.empty()) return {};
  std::string number = std::to_string(source.line);
  number.insert(0, number.size() < 16 ? 16 - number.size() : 0, ' ');
  return kMargin + number + " |   " + one_line(text) + "\n";
}

// "mbarrier_init" of "void cuda::ptx::mbarrier_init<int>(unsigned long*)".
std::string short_name(std::string name) {
  const auto opening = [&](std::size_t end) {  // of the bracket that closes before `end`
    int depth = 0;
    for (std::size_t i = end; i-- > 0;) {
      if (name[i] == ')' || name[i] == '>' || name[i] == '}') ++depth;
      if ((name[i] == '(' || name[i] == '<' || name[i] == '{') && --depth == 0) return i;
    }
    return std::size_t{0};
  };
  if (const std::size_t end = name.rfind(')'); end != name.npos) name.resize(opening(end + 1));
  if (name.ends_with('>')) name.resize(opening(name.size()));
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] != ':' && name[begin - 1] != ' ') {
    const char c = name[begin - 1];
    begin = c == ')' || c == '>' || c == '}' ? opening(begin) : begin - 1;
  }
  return name.substr(begin);
}

constexpr std::string_view kMoreIn[] = {
#define MORE_IN(place) place,
#define MORE(...)
#ifdef CLCSIM_MORE
#include CLCSIM_MORE
#endif
    ""};

constexpr std::size_t kMostFrames = 3;  // of a library that are named

// "mbarrier_init (mbarrier_init.h:20) < init (barrier.h:80), library", the innermost first.
std::string short_frames(std::span<const SourceLine> frames) {
  std::string text;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (i == kMostFrames - 1 && frames.size() > kMostFrames) {
      i = frames.size() - 1;
      text += " ...";
    }
    text += (i == 0 ? "" : " < ") + short_name(frames[i].function) + " (" +
            std::filesystem::path(frames[i].path).filename().string() + ":" +
            std::to_string(frames[i].line) + ")";
  }
  return text + ", library";
}

// "file:line in function(...)", the function in short where templates make it long.
std::string caller(const SourceLine& frame) {
  constexpr std::size_t kLong = 80;
  SourceLine shown = frame;
  if (shown.function.size() > kLong) shown.function = short_name(shown.function);
  return describe(shown);
}

// The inlined calls that lead to the finding's place, the innermost first: what lies in a library
// within the user's own line, that line, and who called it.
std::string text_of_chain(const ResolvedPlace& at) {
  const std::vector<SourceLine>& chain = at.chain;
  const std::string quoted = quoted_line(at.source);
  const auto is_own = [](const SourceLine& frame) { return !frame.library; };
  auto own = std::find_if(chain.begin(), chain.end(), is_own);
  if (own == chain.end() && own != chain.begin()) --own;
  const std::span<const SourceLine> frames(chain);
  const auto place_of = [&](auto frame) { return static_cast<std::size_t>(frame - chain.begin()); };
  std::span<const SourceLine> within = frames.first(place_of(own));
  // The line that calls the outermost of them is shown.
  if (!within.empty() && quoted.find(short_name(within.back().function)) != quoted.npos) {
    within = within.first(within.size() - 1);
  }
  std::string text = within.empty() ? "" : labelled("in", short_frames(within));
  text += labelled("at", text_of(at)) + quoted;
  for (auto from = own == chain.end() ? own : own + 1; from != chain.end();) {
    const auto end = std::find_if(from, chain.end(), is_own);
    text += labelled("from", end == from ? caller(*from)
                                         : short_frames(frames.subspan(
                                               place_of(from), place_of(end) - place_of(from))));
    from = std::max(end, from + 1);
  }
  return text;
}

}  // namespace

std::string labelled(std::string label, const std::string& text) {
  label.resize(std::max<std::size_t>(label.size() + 1, 8), ' ');
  return std::string(kMargin) + "   " + label + one_line(text) + "\n";
}

std::string text_of(const ResolvedPlace& place) {
  if (!place.known) return {};
  std::string text;
  if (!place.source.file.empty()) {
    text = place.source.file + ":" + std::to_string(place.source.line) + " ";
  } else if (place.ptx_line) {
    text = "PTX line " + std::to_string(*place.ptx_line) +
           (place.has_lines ? " " : " (compile with -lineinfo for the source line) ");
  }
  text += "in " + place.source.function + ", block " + text_of(place.block);
  if (place.has_thread) text += ", thread " + text_of(place.thread);
  return text;
}

std::string text_of(const ResolvedFinding& finding) {
  std::string text = std::string(kMargin) + " clcsim: ";
  text += finding.name.empty() ? "refused: "
                               : (finding.is_note ? "note [" : "error [") + finding.name + "]: ";
  text += one_line(finding.what) + "\n";
  if (finding.at.known) text += text_of_chain(finding.at);
  if (!finding.host.empty()) text += labelled("at", finding.host);
  if (finding.use) text += labelled("use", describe(*finding.use)) + quoted_line(*finding.use);
  for (const ResolvedFinding::Detail& detail : finding.details) {
    text += labelled(detail.label, detail.text);
  }
  if (!finding.rule.empty()) text += labelled("rule", finding.rule);
  if (!finding.fix.empty()) text += labelled("fix", finding.fix);
  if (!finding.more.empty()) {
    text += labelled("more", std::string(kMoreIn[0]) + ", " + finding.more);
  }
  return text;
}

}  // namespace clcsim::report
