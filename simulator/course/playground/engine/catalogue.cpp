// clcsim_catalogue FOLDER PROGRAM...: prints the playground's catalogue: the kernels of the
// chapters' executables with their PTX, the source files that the PTX names, and the simulated
// GPUs. FOLDER is the course's: paths are written as seen from there.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "config/profile_file.h"
#include "playground/engine/programs.h"
#include "playground/engine/ptx_part.h"
#include "ptx/fatbin.h"
#include "report/json.h"

namespace {

using namespace clcsim;
using namespace clcsim::playground;
using report::json_string;
namespace fs = std::filesystem;

constexpr std::string_view kFatbin("\x50\xed\x55\xba", 4);  // its magic number, little endian
constexpr ptx::ComputeCapability kBlackwell = {10, 0};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + " can't be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The PTX in an executable that a Blackwell GPU would run.
std::string ptx_of(const fs::path& executable) {
  const std::string file = text_of(executable);
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

std::string knob_text(const Knob& knob) {
  std::string names;
  for (const char* name : knob.names) names += (names.empty() ? "" : ",") + json_string(name);
  return json_string(knob.name) + ":{\"default\":" + std::to_string(knob.fallback) +
         ",\"min\":" + std::to_string(knob.least) + ",\"max\":" + std::to_string(knob.most) +
         ",\"step\":" + std::to_string(knob.step) + ",\"says\":" + json_string(knob.says) +
         (names.empty() ? "" : ",\"names\":[" + names + "]") + "}";
}

std::string kernel_text(const Kernel& kernel, const std::string& ptx) {
  std::vector<std::string> wanted = kernel.others;
  wanted.push_back(kernel.function);
  if (kernel.id == "queue") wanted.push_back("multiply_queue");
  const PtxPart part = part_of(ptx, wanted, kernel.function);
  std::string knobs;
  for (const Knob& knob : kernel.knobs) knobs += (knobs.empty() ? "" : ",") + knob_text(knob);
  std::string text =
      "{\"id\":" + json_string(kernel.id) + ",\"title\":" + json_string(kernel.title);
  if (!kernel.pitfall.empty()) {
    text += ",\"pitfall\":" + json_string(kernel.pitfall) +
            ",\"broken\":" + (kernel.broken ? "true" : "false");
  }
  return text + ",\"function\":" + json_string(kernel.function) +
         ",\"symbol\":" + json_string(part.symbol) + ",\"file\":" + json_string(part.file) +
         ",\"options\":{" + knobs + "},\n\"ptx\":" + json_string(part.text) + "}";
}

std::string program_text(const Program& program, const fs::path& folder,
                         const fs::path& executable) {
  const std::string ptx = with_short_paths(ptx_of(executable), folder.string());
  std::string kernels, sources;
  for (const Kernel& kernel : program.kernels) {
    kernels += (kernels.empty() ? "\n" : ",\n") + kernel_text(kernel, ptx);
  }
  for (const std::string& path : sources_of(ptx, folder)) {
    sources += (sources.empty() ? "\n" : ",\n") + json_string(path) + ":" +
               json_string(text_of(folder / path));
  }
  return "{\"id\":" + json_string(program.id) + ",\"chapter\":" + json_string(program.chapter) +
         ",\"title\":" + json_string(program.title) + ",\"kernels\":[" + kernels +
         "],\"sources\":{" + sources + "}}";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw std::runtime_error("usage: clcsim_catalogue FOLDER PROGRAM...");
    std::string gpus, listed;
    for (const config::Profile& profile : config::profiles()) {
      gpus += (gpus.empty() ? "\n" : ",\n") + ("{\"id\":" + json_string(profile.name)) +
              ",\"summary\":" + json_string(profile.description) +
              ",\"text\":" + json_string(config::to_text(profile)) + "}";
    }
    for (int i = 2; i < argc; ++i) {
      const fs::path executable = argv[i];
      const auto& all = programs();
      const auto program = std::find_if(all.begin(), all.end(), [&](const Program& each) {
        return each.id == executable.filename();
      });
      if (program == all.end()) throw std::runtime_error(executable.string() + " is no chapter");
      listed += (listed.empty() ? "\n" : ",\n") + program_text(*program, argv[1], executable);
    }
    std::printf("{\"gpus\":[%s],\n\"programs\":[%s]}\n", gpus.c_str(), listed.c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clcsim_catalogue: %s\n", error.what());
    return 1;
  }
}
