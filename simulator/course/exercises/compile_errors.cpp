#include "exercises/compile_errors.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "config/output_file.h"
#include "exercises/workspace.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLines = 40;        // of the compiler's text
constexpr int kMostCharacters = 500;  // of a line

// What compilers say of CUDA and of this course, and what it means. The first that fits counts; $1,
// $2 are parts of the text. What they say of C++ alone stands for itself.
constexpr std::pair<const char*, const char*> kMeanings[] = {
    {R"re(#error (?:directive: )?"([^"]*)")re", "$1"},
    {R"re(get_first_ctaid_[xyz]" matches)re",
     "The type of the index has to be said: ..get_first_ctaid_x<int>(answer)."},
    {R"re(no instance of function template "([^"]*)" matches)re",
     "$1 was given other arguments than it takes, or the types in < > are missing."},
    {R"re(no instance of overloaded function "([^"]*)" matches)re",
     "$1 was given other arguments than it takes: compare number, order and types with the "
     "chapter's call."},
    {R"re(cannot determine which instance of (?:overloaded )?function(?: template)? "([^"]*)")re",
     "$1 is a template: name its types in < >, or call it inside of a lambda."},
    {R"re(identifier "(ptx|cg)" is undefined)re",
     "The short name $1 is missing: the exercise's lines `#include` and `namespace $1 = ...` must "
     "stay."},
    {R"re(identifier "([^"]*)" is undefined)re",
     "Nothing of the name $1 is known here: is it spelled as where it is declared, and declared "
     "further up, in these braces or around them?"},
    {R"re(namespace "([^"]*)" has no (?:actual )?member "([^"]*)")re",
     "$1 has nothing of the name $2: compare the spelling with the chapter's code."},
    {R"re((?:cannot open source file "|^)([^" ]*)(?:"|: No such file or directory))re",
     "The header $1 isn't there: compare the #include with that of the exercise as it came."},
    {R"re(a __global__ function call must be configured)re",
     "A kernel is launched with <<<blocks, threads>>> between its name and the parentheses."},
    {R"re(expected a ">>>")re",
     "Between <<< and >>> stand the numbers of blocks and of threads, with a comma between them."},
    {R"re(kernel launch from __device__ or __global__)re",
     "A kernel can't be launched from a kernel here: launch() launches it, on the host."},
    {R"re(calling a __host__ function\("([^"]*)"\))re",
     "$1 is a function of the host, and this code runs on the GPU: it can call __device__ "
     "functions only."},
    {R"re(calling a __device__ function\("([^"]*)"\))re",
     "$1 is a function of the GPU, and this code runs on the host: call it in a kernel."},
    {R"re(expression must be a modifiable lvalue)re",
     "What stands left of this = can't be changed: is it const, or was == meant?"},
    {R"re(expression must have a constant value)re",
     "Only a constant can stand here: a prediction is a number that you write down."},
    {R"re(initializer (?:is )?not allowed|shared.*initializ)re",
     "A __shared__ variable can't have a first value: one thread writes it, and a barrier "
     "follows."},
    {R"re(undefined reference to `([^']*)')re",
     "$1 is called and nowhere defined: the exercise's functions must keep their names and "
     "parameters."},
};

struct Error {
  std::string file;
  int line = 0;
  std::string text;
};

// nvcc: file(23): error: text; g++: file:23:5: error: text.
std::vector<Error> errors_in(const std::string& printed) {
  static const std::regex form(
      R"re(^(.*?)(?:\((\d+)\)|:(\d+):\d+): (?:fatal |catastrophic )?error(?: #[-\w]+)?: (.*)$)re");
  std::vector<Error> errors;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min<std::size_t>(line.size(), kMostCharacters));
    std::smatch match;
    if (std::regex_match(line, match, form)) {
      errors.push_back({match[1], std::stoi(match[2].matched ? match[2] : match[3]), match[4]});
    } else if (line.find("undefined reference") != line.npos ||
               (line.starts_with("ptxas") && line.find("error") != line.npos)) {
      errors.push_back({"", 0, line});
    }
  }
  return errors;
}

std::string meaning_of(const std::string& text) {
  for (const auto& [form, sentence] : kMeanings) {
    std::smatch match;
    if (std::regex_search(text, match, std::regex(form))) return match.format(sentence);
  }
  return "The compiler doesn't understand this line, or one just above it.";
}

std::string line_of(const fs::path& path, int number) {
  std::ifstream file(path);
  std::string line;
  while (number-- > 0) std::getline(file, line);
  return line.substr(line.find_first_not_of(" \t") == line.npos ? 0
                                                                : line.find_first_not_of(" \t"));
}

// In the student's file, or else the first: then a name is gone that the check wants.
const Error* worst_of(const std::vector<Error>& errors, const fs::path& file) {
  for (const Error& error : errors)
    if (fs::path(error.file).filename() == file.filename()) return &error;
  return errors.empty() ? nullptr : &errors[0];
}

std::string about(const Error& error, const fs::path& file, const std::string& shown) {
  if (fs::path(error.file).filename() == file.filename())
    return "  " + shown + ", line " + std::to_string(error.line) + ":\n    " +
           line_of(file, error.line) + "\n  " + meaning_of(error.text) + "\n";
  static const std::regex unknown(R"re(identifier "([^"]*)" is undefined)re");
  std::smatch match;
  if (std::regex_search(error.text, match, unknown))
    return "  " + shown + ":\n  The check uses " + match[1].str() +
           ", and your file has nothing of this name any more: the exercise's names must stay. (Or "
           "a brace { further up is never closed.)\n";
  return "  " + shown + ":\n  " + meaning_of(error.text) + "\n";
}

// How the compiler names the program that includes the answer, and what it makes of it on its way.
constexpr char kProgram[] = R"re((?:[^\s":,]*|"[^"]*)/exercises/[0-9]{2}_[0-9a-z]+\.cu"?)re";
constexpr char kOnTheWay[] = R"re([^\s":,]*tmpxft_[^\s":,]*)re";

// The same line with the file's name as the student knows it; nothing, where it says that another
// file includes it.
std::string in_students_words(std::string line, const fs::path& file, const std::string& shown) {
  static const std::regex program(kProgram), on_the_way(kOnTheWay);
  static const std::regex included(R"re(^(?:In file included)? +from )re");
  if (std::regex_search(line, included) && std::regex_search(line, program)) return {};
  for (const std::string& path : {"./" + file.filename().string(), file.string()}) {
    if (const auto at = line.find(path); at != line.npos) {
      line.replace(at, path.size(), shown);
      break;
    }
  }
  line = std::regex_replace(line, program, shown);
  line = std::regex_replace(line, on_the_way, "(a file of the compiler's)");
  const std::string folder = course().string() + '/';
  for (auto at = line.find(folder); at != line.npos; at = line.find(folder, at))
    line.erase(at, folder.size());
  return line;
}

std::string unreadable(const fs::path& path, const std::string& shown) {
  if (!fs::exists(path))
    return "  " + shown + " is gone. To get it back as it came:\n    git restore -- " + shown +
           "\n  (without git: copy it from where you have the course from)\n";
  const std::string text = config::text_of_file(path);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") || text.find('\0') != text.npos)
    return "  " + shown +
           " is not saved as plain text but as UTF-16: save it as UTF-8 (in the editor: Save as, "
           "Encoding).\n";
  return {};
}

}  // namespace

std::string explain_compiler(const fs::path& file, const std::string& shown,
                             const std::string& printed) {
  if (const std::string why = unreadable(file, shown); !why.empty()) return why;
  const std::vector<Error> errors = errors_in(printed);
  const Error* worst = worst_of(errors, file);
  std::string text =
      worst == nullptr ? "  The program can't be built.\n" : about(*worst, file, shown);
  text += "  ---- what the compiler says ----\n";
  std::istringstream lines(printed);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    line = in_students_words(line.substr(0, kMostCharacters), file, shown);
    if (!line.empty() && ++count <= kMostLines) text += "  | " + line + '\n';
  }
  if (count > kMostLines)
    text += "  | (and " + std::to_string(count - kMostLines) + " lines more)\n";
  return text;
}

}  // namespace clcsim::exercises
