// clcsim_catalogue FOLDER PROGRAM...: prints the playground's catalogue: the kernels of the
// chapters' executables with their PTX and options, as the executables say themselves
// (--help --json), the source files that the PTX names, and the simulated GPUs. FOLDER is the
// course's: paths are written as seen from there. What the playground can't run is left out, and
// said.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "config/options.h"
#include "config/output_file.h"
#include "config/profile_file.h"
#include "playground/engine/programs.h"
#include "playground/engine/ptx_part.h"
#include "ptx/fatbin.h"
#include "report/json.h"

namespace {

using namespace clcsim;
using namespace clcsim::playground;
using report::Json;
using report::json_string;
namespace fs = std::filesystem;

constexpr std::string_view kFatbin("\x50\xed\x55\xba", 4);  // its magic number, little endian
constexpr ptx::ComputeCapability kBlackwell = {10, 0};

// The PTX in an executable that a Blackwell GPU would run.
std::string ptx_of(const fs::path& executable) {
  const std::string file = config::text_of_file(executable);
  for (std::size_t at = 0; (at = file.find(kFatbin, at)) != file.npos; at += kFatbin.size()) {
    const auto bytes = std::as_bytes(std::span(file).subspan(at));
    try {
      const std::vector<ptx::FatbinEntry> entries = ptx::read_fatbin(bytes);
      if (const auto* entry = ptx::select_ptx(entries, kBlackwell)) return entry->text();
    } catch (const ptx::FatbinError&) {
      // These four bytes mean something else.
    }
  }
  throw std::runtime_error(executable.string() + " holds no PTX for compute capability 10.0");
}

// Paths below the course's folder, in the .file directives, as seen from there.
std::string with_short_paths(std::string ptx, const std::string& folder) {
  const std::string begin = "\"" + folder + "/";
  for (std::size_t at = 0; (at = ptx.find(begin, at)) != ptx.npos;) {
    ptx.erase(at + 1, begin.size() - 1);
  }
  return ptx;
}

std::set<std::string> sources_of(const std::string& ptx, const fs::path& folder) {
  std::set<std::string> sources;
  for (std::size_t at = 0; (at = ptx.find(".file\t", at)) != ptx.npos; ++at) {
    const std::size_t begin = ptx.find('"', at) + 1;
    const fs::path path = ptx.substr(begin, ptx.find('"', begin) - begin);
    if (path.is_relative() && fs::is_regular_file(folder / path)) sources.insert(path.string());
  }
  return sources;
}

// What a program prints.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  char part[4096];
  while (const std::size_t size = std::fread(part, 1, sizeof part, pipe)) text.append(part, size);
  pclose(pipe);
  return text;
}

// The objects that a program prints, one on each line; none if it prints anything else.
std::vector<Json> described(const fs::path& executable) {
  std::istringstream lines(output_of("'" + executable.string() + "' --help --json 2>/dev/null"));
  std::vector<Json> objects;
  try {
    for (std::string line; std::getline(lines, line);) objects.push_back(Json::parse(line));
  } catch (const report::JsonError&) {
    return {};
  }
  return objects;
}

void leave_out(const std::string& what, const std::string& why) {
  std::fprintf(stderr, "the playground leaves out %s: %s\n", what.c_str(), why.c_str());
}

std::string joined(const std::vector<std::string>& parts, const char* between = ",\n") {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::string member(const char* name, const std::string& json) {
  return ",\"" + std::string(name) + "\":" + json;
}

// "heavy tail 0, random 1": what the values of an option from 0 on are called; else nothing.
std::vector<std::string> names_of(const std::string& meaning) {
  std::vector<std::string> names;
  std::istringstream words(meaning);
  for (std::string part; std::getline(words >> std::ws, part, ',');) {
    const std::string number = " " + std::to_string(names.size());
    if (!part.ends_with(number)) return {};
    names.push_back(json_string(part.substr(0, part.size() - number.size())));
  }
  return names;
}

// What a page's memory holds.
std::int64_t most_of(const std::string& option, std::int64_t most) {
  if (option == "elements") return std::min<std::int64_t>(most, 1 << 24);
  if (option == "tile") return std::min<std::int64_t>(most, 1 << 20);
  return most;
}

std::string options_text(const Json& options, bool uneven) {
  std::vector<std::string> all;
  for (const Json& option : options.array()) {
    const std::string &name = option["name"].text(), &says = option["says"].text();
    // What a request says beside the options.
    if (name == "warmup" || name == "runs" || name == "after") continue;
    if (!uneven && (name == "skew" || name == "shape")) continue;
    const std::vector<std::string> names = names_of(says);
    all.push_back(json_string(name) +
                  ":{\"default\":" + std::to_string(option["default"].whole(0)) +
                  member("min", std::to_string(option["min"].whole(0))) +
                  member("max", std::to_string(most_of(name, option["max"].whole(0)))) +
                  member("step", std::to_string(option["step"].whole(1))) +
                  member("says", json_string(says)) +
                  (names.empty() ? "" : member("names", "[" + joined(names, ",") + "]")) + "}");
  }
  return "{" + joined(all, ",") + "}";
}

// What all kernels have. `function` is the first of `kernels`.
std::string kernel_text(const std::string& id, const std::string& title,
                        const std::vector<std::string>& kernels, const std::string& ptx) {
  const PtxPart part = part_of(ptx, kernels, kernels[0]);
  std::vector<std::string> others;
  for (std::size_t i = 1; i < kernels.size(); ++i) others.push_back(json_string(kernels[i]));
  return "{\"id\":" + json_string(id) + member("title", json_string(title)) +
         member("function", json_string(kernels[0])) +
         member("others", "[" + joined(others, ",") + "]") +
         member("symbol", json_string(part.symbol)) + member("file", json_string(part.file)) +
         ",\n\"ptx\":" + json_string(part.text);
}

std::vector<std::string> chapter_kernels(const Json& chapter, const std::string& ptx) {
  std::vector<std::string> kernels;
  const std::string& name = chapter["chapter"].text();
  for (const Json& id : chapter["kernels"].array()) {
    const ChapterKernel* known = find_chapter_kernel(name, id.text());
    if (known == nullptr) {
      leave_out("the kernel " + id.text() + " of " + name,
                "engine/chapters.cpp has no host for it");
      continue;
    }
    std::vector<std::string> wanted = {known->function, "clc::urgent"};
    if (known->before != nullptr) wanted.emplace_back(known->before);
    kernels.push_back(kernel_text(id.text(), known->title, wanted, ptx) +
                      member("options", options_text(chapter["options"], known->uneven)) + "}");
  }
  return kernels;
}

std::vector<std::string> pitfall_kernels(const std::vector<Json>& pitfalls,
                                         const std::string& ptx) {
  std::vector<std::string> kernels;
  for (const Json& pitfall : pitfalls) {
    const std::string &name = pitfall["pitfall"].text(), &host_name = pitfall["host"].text();
    const PitfallHost* host = find_pitfall_host(host_name);
    if (host == nullptr) {
      leave_out("the pitfall " + name, "engine/pitfalls.cpp has no host " + host_name);
      continue;
    }
    for (const std::string form : {"broken", "repaired"}) {
      std::vector<std::string> wanted;
      for (const char* kernel : host->kernels) wanted.push_back(form + "::" + kernel);
      if (wanted.empty()) wanted.push_back(form + "::" + pitfall["kernel"].text());
      kernels.push_back(kernel_text(name + ":" + form, pitfall["mistake"].text(), wanted, ptx) +
                        member("pitfall", json_string(name)) +
                        member("broken", form == "broken" ? "true" : "false") +
                        member("host", json_string(host_name)) +
                        member("threads", std::to_string(pitfall["threads"].whole(0))) +
                        member("rows", std::to_string(pitfall["rows"].whole(1))) +
                        member("options", "{}") + "}");
    }
  }
  return kernels;
}

// "# 03 - CLC: a block steals" of a chapter's README: its number and its title.
struct Heading {
  std::string number, title;
};

Heading heading_of(const fs::path& folder, const std::string& name) {
  std::ifstream readme(folder / name / "README.md");
  std::string line;
  std::getline(readme, line);
  const std::size_t dash = line.find(" - ");
  if (!line.starts_with("# ") || dash == line.npos) return {name.substr(0, name.find('_')), name};
  return {line.substr(2, dash - 2), line.substr(dash + 3, line.find(':', dash) - dash - 3)};
}

// Empty if the playground can't run any of its kernels.
std::string program_text(const fs::path& folder, const fs::path& executable) {
  const std::string name = executable.filename().string();
  const std::vector<Json> said = described(executable);
  if (said.empty()) {
    leave_out(name, "--help --json doesn't say its kernels");
    return {};
  }
  const std::string ptx = with_short_paths(ptx_of(executable), folder.string());
  const bool pitfalls = said[0]["kernels"].is_null();
  const std::vector<std::string> kernels =
      pitfalls ? pitfall_kernels(said, ptx) : chapter_kernels(said[0], ptx);
  if (kernels.empty()) return {};
  std::vector<std::string> sources;
  for (const std::string& path : sources_of(ptx, folder)) {
    sources.push_back(json_string(path) + ":" + json_string(config::text_of_file(folder / path)));
  }
  const auto [number, title] = heading_of(folder, name);
  return "{\"id\":" + json_string(name) + member("chapter", json_string(number)) +
         member("kind", pitfalls ? "\"pitfalls\"" : "\"kernels\"") +
         member("title", json_string(title)) + ",\"kernels\":[\n" + joined(kernels) +
         "],\"sources\":{\n" + joined(sources) + "}}";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw std::runtime_error("usage: clcsim_catalogue FOLDER PROGRAM...");
    std::vector<std::string> gpus, listed;
    for (const config::Profile& profile : config::profiles()) {
      gpus.push_back("{\"id\":" + json_string(profile.name) +
                     member("summary", json_string(profile.description)) +
                     member("text", json_string(config::to_text(profile))) + "}");
    }
    for (int i = 2; i < argc; ++i) {
      std::string text = program_text(argv[1], argv[i]);
      if (!text.empty()) listed.push_back(std::move(text));
    }
    std::printf("{\"version\":%s,\n\"gpus\":[\n%s],\n\"programs\":[\n%s]}\n",
                json_string(config::version()).c_str(), joined(gpus).c_str(),
                joined(listed).c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clcsim_catalogue: %s\n", error.what());
    return 1;
  }
}
