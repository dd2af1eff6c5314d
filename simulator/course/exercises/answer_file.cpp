#include "exercises/answer_file.h"

#include <algorithm>
#include <regex>
#include <set>
#include <vector>

#include "config/output_file.h"
#include "exercises/words_of.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const Names kWordsOfCpp = {"alignas",
                           "alignof",
                           "auto",
                           "bool",
                           "break",
                           "case",
                           "catch",
                           "char",
                           "class",
                           "const",
                           "constexpr",
                           "const_cast",
                           "continue",
                           "decltype",
                           "default",
                           "delete",
                           "do",
                           "double",
                           "dynamic_cast",
                           "else",
                           "enum",
                           "explicit",
                           "extern",
                           "false",
                           "float",
                           "for",
                           "friend",
                           "goto",
                           "if",
                           "inline",
                           "int",
                           "long",
                           "mutable",
                           "namespace",
                           "new",
                           "noexcept",
                           "nullptr",
                           "operator",
                           "private",
                           "protected",
                           "public",
                           "register",
                           "reinterpret_cast",
                           "return",
                           "short",
                           "signed",
                           "sizeof",
                           "static",
                           "static_assert",
                           "static_cast",
                           "struct",
                           "switch",
                           "template",
                           "this",
                           "throw",
                           "true",
                           "try",
                           "typedef",
                           "typeid",
                           "typename",
                           "union",
                           "unsigned",
                           "using",
                           "virtual",
                           "void",
                           "volatile",
                           "while",
                           "std",
                           "cuda",
                           "clc",
                           "main",
                           "kReady",
                           "check"};
const Names kDirectives = {"define", "undef", "include", "if",    "ifdef",  "ifndef",
                           "elif",   "else",  "endif",   "error", "pragma", "warning"};
const Names kPragmas = {"unroll",
                        "nounroll",
                        "once",
                        "nv_diag_suppress",
                        "nv_diag_default",
                        "nv_diagnostic",
                        "diag_suppress",
                        "nv_exec_check_disable",
                        "hd_warning_disable"};
const Names kAttributes = {"aligned",   "packed",       "noinline", "always_inline",
                           "unused",    "maybe_unused", "likely",   "unlikely",
                           "nodiscard", "fallthrough",  "noreturn"};
const Names kHeaders = {"exercise.h", "exercise_case.cuh", "exercise_for_each.cuh"};

// The names of a check: all, and those of its own functions and kernels.
struct OfTheCheck {
  Names all, functions;
};

class Reader {
 public:
  Reader(const std::string& file, const OfTheCheck& of_the_check, const Names& of_common)
      : lines_(lines_of_code(file)), of_the_check_(of_the_check), of_common_(of_common) {}

  // A sentence, or nothing.
  std::string objection() {
    for (const Line& line : lines_) {
      if (line.is_directive) look_at_directive(line);
      for (const Word& word : line.words) all_.push_back({word, line.number});
    }
    for (std::size_t i = 0; i < all_.size(); ++i) look_at_word(i);
    return objection_;
  }

 private:
  struct Placed {
    Word word;
    int line;
  };

  void object(int line, const std::string& sentence) {
    if (objection_.empty()) objection_ = "line " + std::to_string(line) + ": " + sentence;
  }

  void look_at_directive(const Line& line) {
    if (line.words.empty()) return;
    const std::string& what = line.words[0].is;
    if (!kDirectives.contains(what))
      return object(line.number, "#" + what + " is a directive that no answer needs");
    if (what == "include") look_at_header(line);
    if (what == "define" || what == "undef") look_at_macro(line);
    if (what == "pragma" && (line.words.size() < 2 || !kPragmas.contains(line.words[1].is)))
      object(line.number, "this #pragma is one that no answer needs");
  }

  void look_at_header(const Line& line) {
    static const std::regex kSystem("[^<\"]*<[A-Za-z0-9_][A-Za-z0-9_/]*(\\.h|\\.hpp|\\.cuh)?>\\s*");
    const bool is_ours = line.words.size() == 2 && line.words[1].kind == Word::text &&
                         kHeaders.contains(line.words[1].is);
    if (!is_ours && !std::regex_match(line.text, kSystem))
      object(line.number,
             "an answer includes <headers> of CUDA and C++, and \"exercise.h\" or its like, "
             "nothing else");
  }

  void look_at_macro(const Line& line) {
    const std::string name = line.words.size() > 1 ? line.words[1].is : "";
    if (kWordsOfCpp.contains(name) || of_the_check_.all.contains(name))
      object(line.number,
             "#" + line.words[0].is + " " + name +
                 ": the check behind your file uses this name; a macro needs another one");
    if (name.starts_with("_"))
      object(line.number,
             "#" + line.words[0].is + " " + name + ": a name with _ in front is the system's");
  }

  bool follows(std::size_t i, const char* sign) const {
    return i + 1 < all_.size() && all_[i + 1].word == sign;
  }

  void look_at_word(std::size_t i) {
    static const Names kNever = {"_Pragma",    "__pragma",    "__has_include", "__has_embed",
                                 "__declspec", "gnu",         "__gnu__",       "ifunc",
                                 "__ifunc__",  "__section__", "__alias__"};
    static const Names kRaw = {"R", "LR", "uR", "UR", "u8R"};
    const auto& [word, line] = all_[i];
    if (word == "##") return object(line, "## makes new names, which no answer needs");
    if (word == "\\") return object(line, "a \\ outside of a text is nothing that an answer needs");
    if (word == "[" && follows(i, "[")) look_at_attribute(i + 2, "]");
    if (word.kind != Word::name) return;
    if (kNever.contains(word.is) || word.is.starts_with("CLC_") || word.is.starts_with("clcsim") ||
        word.is.starts_with("__cuda"))
      return object(line, word.is + " is a name that no answer needs");
    if (kRaw.contains(word.is) && i + 1 < all_.size() && all_[i + 1].word.kind == Word::text)
      return object(line, "write this text without R in front of it");
    if (word == "clc") look_at_clc(i);
    if (of_the_check_.functions.contains(word.is) && is_declared(i))
      return object(line, word.is + "() is the check's own, not an answer's");
    if (is_of_cuda(word.is) && i > 0 && all_[i - 1].word.kind == Word::name && follows(i, "(") &&
        has_body(i + 1))
      return object(line, word.is + "() is CUDA's: an answer's function has another name");
    if (word == "extern" && !follows(i, "__shared__") && !follows(i + 1, "__global__"))
      return object(line, "extern names what is in the check, which no answer needs");
    if (word == "namespace" && i + 1 < all_.size() &&
        Names{"std", "cuda"}.contains(all_[i + 1].word.is))
      object(line, "nothing is added to namespace " + all_[i + 1].word.is);
    if (word == "asm" || word == "__asm" || word == "__asm__") look_at_assembly(i);
    if (word == "__attribute__" || word == "__attribute") {
      if (follows(i, "(") && follows(i + 1, "(")) return look_at_attribute(i + 3, ")");
      object(line, "__attribute__ without (( behind it is nothing that an answer needs");
    }
  }

  // Whether { comes behind the ) of this (.
  bool has_body(std::size_t i) const {
    int open = 0;
    for (; i < all_.size(); ++i) {
      open += (all_[i].word == "(") - (all_[i].word == ")");
      if (open == 0) return follows(i, "{");
    }
    return false;
  }

  static bool is_of_cuda(const std::string& name) {
    return name.starts_with("cuda") || name.starts_with("atomic") || name.starts_with("__sync") ||
           name == "for_each_canceled_block";
  }

  bool is_kernel(std::size_t i) const {
    for (; i > 0; --i) {
      const Word& word = all_[i - 1].word;
      if (word == ";" || word == "}") return false;
      if (word == "__global__") return true;
    }
    return false;
  }

  // F f; F f(...); F (f)(...). A kernel with a body is the answer's own; another function would be
  // called in the place of the check's.
  bool is_declared(std::size_t i) const {
    static const Names kNoType = {"return", "else", "case", "do", "throw", "goto", "new"};
    static const Names kSimple = {"auto", "bool", "char",   "double",   "float",
                                  "int",  "long", "size_t", "unsigned", "const"};
    if (i == 0) return false;
    const Word& before = all_[i - 1].word;
    if (before == "(" && follows(i, ")") && follows(i + 1, "(")) return true;
    const bool is_type = (before.kind == Word::name && !kNoType.contains(before.is)) ||
                         before == "*" || before == "&" || before == ">";
    if (is_type && follows(i, "(") && !(has_body(i + 1) && is_kernel(i))) return true;
    if (is_type && follows(i, "[") && follows(i + 1, "[")) return true;
    return ((is_type && !kSimple.contains(before.is)) || before == ")") &&
           (follows(i, ";") || follows(i, ","));
  }

  // Of clc:: an answer uses what the headers in common/ have; of it nothing is made anew.
  void look_at_clc(std::size_t i) {
    const int line = all_[i].line;
    if (!follows(i, "::"))
      return object(line,
                    "write clc:: in front of each name of common/, and nothing else with clc");
    const std::string name = i + 2 < all_.size() ? all_[i + 2].word.is : "";
    if (!of_common_.contains(name))
      object(line, "clc::" + name + " is the check's own, not an answer's");
  }

  // Up to the bracket that closes; what is in others is an attribute's number or text.
  void look_at_attribute(std::size_t i, const char* end) {
    int open = 0;
    for (; i < all_.size(); ++i) {
      const Word& word = all_[i].word;
      if (open == 0 && word == end) return;
      open += (word == "(") - (word == ")");
      if (open == 0 && word.kind == Word::name && !kAttributes.contains(word.is))
        return object(all_[i].line, "an attribute that no answer needs: " + word.is);
    }
  }

  // PTX, each of whose instructions has a dot in its first word.
  void look_at_assembly(std::size_t i) {
    static const Names kQualifiers = {"volatile", "__volatile__", "__volatile"};
    const int line = all_[i].line;
    while (i + 1 < all_.size() && kQualifiers.contains(all_[i + 1].word.is)) ++i;
    std::string text;
    bool is_text = follows(i, "(");
    for (i += 2; is_text && i < all_.size(); ++i) {
      const Word& word = all_[i].word;
      if (word == ":" || word == "::" || word == ")") break;
      is_text = word.kind == Word::text;
      text += word.is;
    }
    if (!is_text || text.empty() || !is_ptx(text))
      object(line, "asm holds PTX, as one text between quotes, or nothing that an answer needs");
  }

  static bool is_ptx(std::string text) {
    static const Names kShort = {"ret", "exit", "trap", "brkpt", "bra", "call", ""};
    static const Names kDeclared = {".reg", ".shared", ".local", ".const", ".param", ".pragma"};
    if (std::regex_search(text, std::regex("\\\\[^nt\"\\\\]"))) return false;
    text = std::regex_replace(text, std::regex("\\\\n"), "\n");
    text = std::regex_replace(text, std::regex("\\\\t"), " ");
    text = std::regex_replace(text, std::regex("/\\*[^]*?\\*/|//[^\n]*|[{}]"), " ");
    text = std::regex_replace(text, std::regex("\\n"), ";");
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(';', begin), text.size());
      std::string one = text.substr(begin, end - begin);
      one = std::regex_replace(one, std::regex("^\\s*(%?[\\w$.]+\\s*:(?!:)\\s*)*(@!?%?\\w+\\s+)?"),
                               "");
      const std::string word = one.substr(0, one.find_first_of(" \t("));
      const bool has_dot = word.find('.') != std::string::npos;
      if (word.starts_with('.') ? !kDeclared.contains(word.substr(0, word.find('.', 1)))
                                : !has_dot && !kShort.contains(word))
        return false;
      begin = end + 1;
    }
    return true;
  }

  std::vector<Line> lines_;
  const OfTheCheck& of_the_check_;
  const Names& of_common_;
  std::vector<Placed> all_;
  std::string objection_;
};

// What it defines in the student's program. What the answer is to call, it says: "The answer calls
// result_of()." What follows an #else is the judge's.
Names functions_of_the_check(const std::string& check) {
  Names functions;
  int open = 0;
  bool is_judges = false;
  Word before = {Word::sign, ";"}, last = before;  // before `last`
  for (const Line& line : lines_of_code(check)) {
    if (line.is_directive) {
      is_judges = !line.words.empty() && line.words[0] == "else";
      continue;
    }
    if (is_judges) continue;
    for (const Word& word : line.words) {
      const bool is_type =
          before.kind == Word::name || before == "*" || before == "&" || before == ">";
      if (open == 0 && word == "(" && last.kind == Word::name && is_type) functions.insert(last.is);
      open += (word == "(" || word == "{") - (word == ")" || word == "}");
      before = last, last = word;
    }
  }
  static const std::regex kCalled("The answer calls (\\w+)\\(\\)");
  for (std::sregex_iterator at(check.begin(), check.end(), kCalled), end; at != end; ++at)
    functions.erase((*at)[1]);
  return functions;
}

// And those of the macros that it uses.
OfTheCheck names_of_the_check(const Exercise& exercise) {
  const std::string check = config::text_of_file(exercise.folder() / "check.h");
  OfTheCheck names = {names_in(check), functions_of_the_check(check)};
  for (const Line& line : lines_of_code(
           config::text_of_file(course() / "simulator/course/exercises/exercise_check.h"))) {
    if (!line.is_directive || line.words.empty() || !(line.words[0] == "define")) continue;
    for (const Word& word : line.words)
      if (word.kind == Word::name) names.all.insert(word.is);
  }
  return names;
}

Names names_of_common() {
  Names names;
  for (const fs::path& path : fs::directory_iterator(course() / "common"))
    if (path.extension() == ".h" || path.extension() == ".cuh")
      names.merge(names_in(config::text_of_file(path)));
  return names;
}

}  // namespace

Objection objection_to_answer(const fs::path& answer, const Exercise& exercise) {
  const std::string file = config::text_of_file(answer);
  static const Names of_common = names_of_common();
  const OfTheCheck of_the_check = names_of_the_check(exercise);
  const std::string sentence = Reader(file, of_the_check, of_common).objection();
  if (sentence.empty()) return {};
  return {"no part of an answer", "  " + sentence + "   <--\n"};
}

}  // namespace clcsim::exercises
