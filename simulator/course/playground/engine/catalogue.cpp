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
#include <span>
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
using report::JsonWriter;
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

// "heavy tail 0, random 1": what the values of an option from 0 on are called; else nothing.
std::vector<std::string> names_of(const std::string& meaning) {
  std::vector<std::string> names;
  std::istringstream words(meaning);
  for (std::string part; std::getline(words >> std::ws, part, ',');) {
    const std::string number = " " + std::to_string(names.size());
    if (!part.ends_with(number)) return {};
    names.push_back(part.substr(0, part.size() - number.size()));
  }
  return names;
}

// What a page's memory holds.
std::int64_t most_of(const std::string& option, std::int64_t most) {
  if (option == "elements") return std::min<std::int64_t>(most, 1 << 24);
  if (option == "tile") return std::min<std::int64_t>(most, 1 << 20);
  return most;
}

void put_options(JsonWriter& json, const Json& options, bool uneven) {
  for (const Json& option : options.array()) {
    const std::string &name = option["name"].text(), &says = option["says"].text();
    // What a request says beside the options.
    if (name == "warmup" || name == "runs" || name == "after") continue;
    if (!uneven && (name == "skew" || name == "shape")) continue;
    json.members(name, [&] {
      json.members("default", option["default"].whole(0), "min", option["min"].whole(0), "max",
                   most_of(name, option["max"].whole(0)), "step", option["step"].whole(1), "says",
                   says);
      if (const auto names = names_of(says); !names.empty()) json.members("names", names);
    });
  }
}

// `kernels`: the kernel itself, and what else its host launches. `more` writes the members that not
// all have.
template <class More>
void put_kernel(JsonWriter& json, const std::string& id, const std::string& title,
                const std::vector<std::string>& kernels, const std::string& ptx, const More& more) {
  const PtxPart part = part_of(ptx, kernels);
  json.new_line();
  json.value([&] {
    json.members("id", id, "title", title, "function", kernels[0], "symbol", part.symbol, "ptx",
                 part.text);
    more();
  });
}

void put_chapter_kernels(JsonWriter& json, const Json& chapter, const std::string& ptx) {
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
    put_kernel(json, id.text(), known->title, wanted, ptx, [&] {
      json.members("options", [&] { put_options(json, chapter["options"], known->uneven); });
    });
  }
}

void put_pitfall_kernels(JsonWriter& json, const std::vector<Json>& pitfalls,
                         const std::string& ptx) {
  for (const Json& pitfall : pitfalls) {
    const std::string &name = pitfall["pitfall"].text(), &host_name = pitfall["host"].text();
    if (find_pitfall_host(host_name) == nullptr) continue;  // it is the program's alone
    for (const std::string form : {"broken", "repaired"}) {
      const std::string kernel = form + "::" + pitfall["kernel"].text();
      put_kernel(json, name + ":" + form, pitfall["mistake"].text(), {kernel}, ptx, [&] {
        json.members("pitfall", name, "broken", form == "broken", "host", host_name, "threads",
                     pitfall["threads"].whole(0), "rows", pitfall["rows"].whole(1), "options",
                     [] {});
      });
    }
  }
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

void put_program(JsonWriter& json, const fs::path& folder, const fs::path& executable) {
  const std::string name = executable.filename().string();
  const std::vector<Json> said = described(executable);
  if (said.empty()) return leave_out(name, "--help --json doesn't say its kernels");
  const std::string ptx = with_short_paths(ptx_of(executable), folder.string());
  const bool pitfalls = said[0]["kernels"].is_null();
  JsonWriter kernels;
  kernels.array([&] {
    pitfalls ? put_pitfall_kernels(kernels, said, ptx) : put_chapter_kernels(kernels, said[0], ptx);
  });
  const std::string all = kernels.take();
  if (all == "[]") return;
  const auto [number, title] = heading_of(folder, name);
  json.value([&, &number = number, &title = title] {
    json.members("id", name, "chapter", number, "kind", pitfalls ? "pitfalls" : "kernels", "title",
                 title);
    json.key("kernels");
    json.raw(all);
    json.members("sources", [&] {
      for (const std::string& path : sources_of(ptx, folder)) {
        json.new_line();
        json.members(path, config::text_of_file(folder / path));
      }
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw std::runtime_error("usage: clcsim_catalogue FOLDER PROGRAM...");
    JsonWriter json;
    json.value([&] {
      json.members("version", config::version());
      json.array("gpus", [&] {
        for (const config::Profile& profile : config::profiles()) {
          json.value([&] {
            json.members("id", profile.name, "summary", profile.description, "clock_khz",
                         profile.clock_khz);
          });
        }
      });
      json.array("programs", [&] {
        for (int i = 2; i < argc; ++i) put_program(json, argv[1], argv[i]);
      });
    });
    std::puts(json.take().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clcsim_catalogue: %s\n", error.what());
    return 1;
  }
}
