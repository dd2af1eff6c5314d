// Whether pages show what programs print, and what sources say:
//
//   shown check PAGE...    names each block that doesn't, by page and line, with the difference
//   shown update PAGE...   writes these blocks anew
//   shown statements       prints the table of hardware/STATEMENTS.md
//
// The marks in the pages say what each block shows: CONTRIBUTING.md, "What a page shows".
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/pages/course.h"
#include "tests/pages/page.h"
#include "tests/pages/sources.h"
#include "tests/pages/statements.h"

namespace clcsim::pages {
namespace {

constexpr bool kOtherCompiler = CLC_OTHER_COMPILER;  // than the one whose cycles the pages show

struct Block {
  const Page& page;
  const Mark& mark;
  bool update;
  Lines shown() const {
    return {page.lines.begin() + std::ptrdiff_t(mark.first),
            page.lines.begin() + std::ptrdiff_t(mark.end)};
  }
  std::string beside(const std::string& file) const {  // a path from the page's folder on
    return (std::filesystem::path(page.path).parent_path() / file).string();
  }
};

// "file.cu [name]"
struct Place {
  std::string file, region;
};

Place place_of(const std::string& argument) {
  const std::size_t open = argument.find(" [");
  if (open == argument.npos || !argument.ends_with("]"))
    throw Wrong("not of the form FILE [region]: " + argument);
  return {argument.substr(0, open), argument.substr(open + 2, argument.size() - open - 3)};
}

std::string without_times(const Lines& lines) {
  static const std::regex times("((cycles|bytes_per_cycle): )[0-9.]+");
  return std::regex_replace(text_of(lines), times, "$1N");
}

// What goes (-), what comes (+) and what stays, with as few changes as possible.
Lines difference(const Lines& shown, const Lines& now) {
  // common[i][j]: how many lines shown[i...] and now[j...] have in common
  std::vector<std::vector<int>> common(shown.size() + 1, std::vector<int>(now.size() + 1, 0));
  for (std::size_t i = shown.size(); i-- > 0;)
    for (std::size_t j = now.size(); j-- > 0;)
      common[i][j] = shown[i] == now[j] ? common[i + 1][j + 1] + 1
                                        : std::max(common[i + 1][j], common[i][j + 1]);
  Lines lines;
  for (std::size_t i = 0, j = 0; i < shown.size() || j < now.size();) {
    if (i < shown.size() && j < now.size() && shown[i] == now[j])
      lines.push_back(" " + shown[i++]), ++j;
    else if (j == now.size() || (i < shown.size() && common[i + 1][j] >= common[i][j + 1]))
      lines.push_back("-" + shown[i++]);
    else
      lines.push_back("+" + now[j++]);
  }
  return lines;
}

// ---- What a block should be -------------------------------------------------------------------

// What the findings say, without the lines on where to look further; all of it where there is none.
Lines key_lines(const Lines& out) {
  static const std::string margin = "========= ";
  static const std::regex left_out(
      "  (at|in|from|rule|fix|more|waits|mbarrier) .*|  [0-9]+ times: .*|clcsim: [0-9]+ "
      "(finding|note)s?");
  Lines lines;
  for (const std::string& line : out)
    if (line.starts_with(margin) && !std::regex_match(line.substr(margin.size()), left_out))
      lines.push_back(line.substr(margin.size()));
  return lines.empty() ? out : lines;
}

Lines output(const Block& block) {
  static const std::string filter = " | key lines";
  std::string command = block.mark.argument;
  const bool filtered = command.ends_with(filter);
  if (filtered) command.resize(command.size() - filter.size());
  const Ran& ran = run(command);
  const bool table = !block.mark.empty() && block.mark.language.empty();
  if (table && ran.status != 0) throw Wrong("the command fails:\n" + ran.out);
  Lines out = lines_of(ran.out);
  if (filtered)
    out = key_lines(out);
  else if (ran.status != 0)
    out.push_back("(exit status " + std::to_string(ran.status) + ")");
  while (!out.empty() && out.back().empty()) out.pop_back();
  while (!out.empty() && out.front().empty()) out.erase(out.begin());
  const Lines shown = block.shown();
  if (kOtherCompiler && without_times(out) == without_times(shown)) return shown;
  return out;
}

Lines code(const Block& block) {
  const Place place = place_of(block.mark.argument);
  return excerpt(region(block.beside(place.file), place.region), block.shown());
}

// Two regions of neighbouring chapters, "file [name] file [name]"; or the two forms of one.
Lines diff(const Block& block) {
  const std::string& argument = block.mark.argument;
  if (const std::size_t end = argument.find("] "); end != argument.npos) {
    const Place from = place_of(argument.substr(0, end + 1)),
                to = place_of(argument.substr(end + 2));
    return difference(region(block.beside(from.file), from.region),
                      region(block.beside(to.file), to.region));
  }
  const Place place = place_of(argument);
  const Lines lines = broken_and_repaired(region(block.beside(place.file), place.region));
  if (lines.empty()) throw Wrong("the region has no #ifdef BROKEN");
  return lines;
}

// The block is a command; what it must do stands in the mark: "exits 86: text in its output, with
// \\n for a line's end".
Lines exits(const Block& block) {
  const Lines shown = block.shown();
  if (shown.size() != 1) throw Wrong("the block has not one command");
  const std::string status = block.mark.kind.substr(block.mark.kind.find(' ') + 1);
  std::string text = block.mark.argument;
  for (std::size_t at; (at = text.find("\\n")) != text.npos;) text.replace(at, 2, "\n");
  const Ran& ran = run(shown[0]);
  if (std::to_string(ran.status) != status || ran.out.find(text) == ran.out.npos)
    throw Wrong("expected exit status " + status + " and '" + block.mark.argument +
                "', but this prints, with exit status " + std::to_string(ran.status) + ",\n" +
                ran.out);
  return shown;
}

// The command with each choice {a,b}: what stands in the braces, and what to run.
std::vector<std::pair<Lines, std::string>> choices_of(const std::string& command) {
  const std::size_t open = command.find('{'), close = command.find('}', open);
  if (close == command.npos) return {{{}, command}};
  std::vector<std::pair<Lines, std::string>> all;
  std::istringstream words(command.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');)
    for (auto [chosen, rest] : choices_of(command.substr(close + 1))) {
      chosen.insert(chosen.begin(), word);
      all.emplace_back(chosen, command.substr(0, open) + word + rest);
    }
  return all;
}

// A row for each choice: what was chosen, and then the `key: value` lines that the head names.
Lines table(const Block& block) {
  const Lines shown = block.shown();
  if (shown.size() < 2) throw Wrong("write the table's head, with the keys of its columns");
  if (kOtherCompiler) return shown;
  std::istringstream head(shown[0].substr(1));
  Lines keys;
  for (std::string cell; std::getline(head, cell, '|');)
    keys.push_back(std::regex_replace(cell, std::regex("[ `]"), ""));
  Lines rows(shown.begin(), shown.begin() + 2);
  for (const auto& [chosen, command] : choices_of(block.mark.argument)) {
    const Ran& ran = run(command);
    if (ran.status != 0) throw Wrong("the command fails:\n" + command + "\n" + ran.out);
    std::string row = "|";
    for (const std::string& word : chosen) row += " " + word + " |";
    for (std::size_t i = chosen.size(); i < keys.size(); ++i) {
      const std::string out = "\n" + ran.out, key = "\n" + keys[i] + ": ";
      const std::size_t at = out.find(key);
      if (at == out.npos) throw Wrong("no line '" + keys[i] + ": ' is printed by " + command);
      row += " " + out.substr(at + key.size(), out.find('\n', at + 1) - at - key.size()) + " |";
    }
    rows.push_back(row);
  }
  return rows;
}

// A word of a line with a dot in it is an instruction with its modifiers.
std::string instruction_of(const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (std::islower(static_cast<unsigned char>(word[0])) && word.find('.') != word.npos)
      return word;
  throw Wrong("no instruction in '" + line + "'");
}

// A kernel's lines in the PTX that nvcc makes of a source.
Lines kernel_ptx(const std::string& source, const std::string& kernel) {
  const Ran ran = run("nvcc -std=c++17 -O3 -Icommon -arch=compute_100a -ptx -o - " + source);
  if (ran.status != 0) throw Wrong("nvcc: " + ran.out);
  const std::string entry = ".visible .entry ";
  const std::string mangled = entry + "_Z" + std::to_string(kernel.size()) + kernel;
  Lines body;
  bool inside = false;
  for (const std::string& line : lines_of(ran.out)) {
    if (line.starts_with(entry)) inside = line.starts_with(mangled);
    if (inside) body.push_back(line);
  }
  if (body.empty()) throw Wrong(source + " has no kernel " + kernel);
  return body;
}

// The block has instructions of a kernel, in order, with operands in words.
Lines ptx(const Block& block) {
  const Place place = place_of(block.mark.argument);
  const Lines shown = block.shown();
  if (shown.empty()) throw Wrong("write the instructions that are to be seen there");
  const Lines body = kernel_ptx(block.beside(place.file), place.region);
  std::size_t at = 0;
  for (const std::string& line : shown) {
    const std::string instruction = instruction_of(line);
    while (at < body.size()) {
      std::istringstream words(body[at++]);
      bool found = false;
      for (std::string word; words >> word;)
        found = found || word == instruction || word == instruction + ";";
      if (found) break;
      if (at == body.size())
        throw Wrong(place.region + " has no '" + instruction + "' after the lines before it");
    }
  }
  return shown;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The page shows the picture; its command has the name without the folder.
Lines picture(const Block& block) {
  const Lines shown = block.shown();
  if (kOtherCompiler) return shown;
  static const std::regex svg(" ([^ ]+\\.svg)( |$)");
  std::smatch match;
  if (!std::regex_search(block.mark.argument, match, svg)) throw Wrong("the command draws no .svg");
  const std::string name = match[1];
  const std::string page = text_of(block.page.lines);
  std::smatch link;
  if (!std::regex_search(page, link, std::regex("\\]\\((([^)]*/)?" + name + ")\\)")))
    throw Wrong("the page doesn't show " + name);
  const std::filesystem::path shown_file = course() / block.beside(link[1]);
  std::string folder = (std::filesystem::temp_directory_path() / "shown.XXXXXX").string();
  if (!mkdtemp(folder.data())) throw Wrong("can't write to " + folder);
  const std::filesystem::path now = std::filesystem::path(folder) / name;
  std::string command = block.mark.argument;
  command.replace(std::size_t(match.position(1)), name.size(), "'" + now.string() + "'");
  const Ran ran = run(command);
  const std::string drawn = bytes_of(now);
  std::filesystem::remove_all(folder);
  if (ran.status != 0 || drawn.empty()) throw Wrong("nothing was drawn: " + ran.out);
  if (drawn == bytes_of(shown_file)) return shown;
  if (!block.update)
    throw Wrong(block.beside(link[1]) + " is not what is drawn now; build/bin/shown update " +
                block.page.path + " draws it");
  std::ofstream(shown_file, std::ios::binary) << drawn;
  return shown;
}

struct Kind {
  std::string language;  // of its blocks
  Lines (*now)(const Block&);
};

const std::map<std::string, Kind> kKinds = {
    {"output of", {"", output}}, {"code of", {"cpp", code}},    {"diff of", {"diff", diff}},
    {"ptx of", {"", ptx}},       {"picture of", {"", picture}}, {"exits", {"sh", exits}},
    {"table of", {"", table}},
};

// None for the one that another test reads.
const Kind* kind_of(const Mark& mark) {
  const std::string name = mark.kind.starts_with("exits ") ? "exits" : mark.kind;
  const auto found = kKinds.find(name);
  if (found != kKinds.end()) return &found->second;
  if (name == "file") return nullptr;
  throw Wrong("there is no mark '" + mark.kind + ":'");
}

// ---- Pages ------------------------------------------------------------------------------------

Lines changes(Lines lines) {
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [](const std::string& line) { return line[0] == ' '; }),
              lines.end());
  return lines;
}

class Checked {
 public:
  Checked(const std::string& path, bool update) : page_(read_page(path)), update_(update) {}

  // How many blocks are not as they should be.
  int check() {
    unmarked_blocks();
    // From the end, so that what is written moves no mark that is still to come.
    for (auto mark = page_.marks.rbegin(); mark != page_.marks.rend(); ++mark) try {
        check_block(*mark);
      } catch (const Wrong& wrong) {
        say(mark->at, wrong.what());
      }
    if (changed_) write_page(page_);
    if (can_be_written_)
      std::cerr << "build/bin/shown update " << page_.path << " writes it anew\n";
    return wrong_;
  }

 private:
  void say(std::size_t at, const std::string& what) {
    std::cerr << page_.path << ":" << at + 1 << ": " << what << "\n";
    ++wrong_;
  }

  void check_block(const Mark& mark) {
    const Kind* kind = kind_of(mark);
    if (!kind) return;
    if (!mark.empty() && !kind->language.empty() && mark.language != kind->language)
      throw Wrong("a block ```" + kind->language + " must follow this mark");
    const Block block{page_, mark, update_};
    const Lines shown = block.shown(), now = kind->now(block);
    if (shown == now) return;
    if (update_) return update(mark, *kind, now);
    can_be_written_ = true;
    say(mark.at, "what follows is not " + mark.kind + " " + mark.argument +
                     "; - is there, + should be:\n" + text_of(changes(difference(shown, now))));
  }

  void update(const Mark& mark, const Kind& kind, Lines now) {
    const bool table = !now.empty() && now[0].starts_with("|");
    if (mark.empty() && !table) {
      now.insert(now.begin(), "```" + (kind.language.empty() ? "text" : kind.language));
      now.push_back("```");
    }
    write_block(page_, mark, now);
    changed_ = true;
    std::cout << page_.path << ":" << mark.at + 1 << ": written\n";
  }

  // Where a page shows some code by a mark, it shows all code so.
  void unmarked_blocks() {
    std::set<std::size_t> marked;
    std::set<std::string> languages;
    for (const Mark& mark : page_.marks) {
      marked.insert(mark.at + 1);
      for (const auto& [name, kind] : kKinds)
        if (mark.kind.starts_with(name) && !kind.language.empty()) languages.insert(kind.language);
    }
    for (std::size_t i = 0; i < page_.lines.size(); ++i)
      if (page_.lines[i].starts_with("```") && languages.contains(page_.lines[i].substr(3)) &&
          !marked.contains(i))
        say(i, "no mark says what this block shows");
  }

  Page page_;
  bool update_, changed_ = false, can_be_written_ = false;
  int wrong_ = 0;
};

int check_page(const std::string& path, bool update) try {
  return Checked(path, update).check();
} catch (const Wrong& wrong) {
  std::cerr << wrong.what() << "\n";
  return 1;
}

int check_all(const std::vector<std::string>& paths, bool update) {
  int wrong = 0;
  for (const std::string& path : paths) {
    const std::filesystem::path page = std::filesystem::weakly_canonical(path);
    const std::string from_course =
        std::filesystem::relative(page, std::filesystem::canonical(course())).string();
    wrong += check_page(from_course, update);
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace clcsim::pages

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "statements") {
    std::cout << clcsim::pages::text_of(clcsim::pages::statements());
    return 0;
  }
  if (words.size() >= 2 && (words[0] == "check" || words[0] == "update"))
    return clcsim::pages::check_all({words.begin() + 1, words.end()}, words[0] == "update");
  std::cerr << "usage: shown check PAGE... | shown update PAGE... | shown statements\n";
  return 2;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
