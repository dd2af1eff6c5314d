#include "playground/engine/engine.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>

#include "config/profile_file.h"
#include "cudart/failure.h"
#include "playground/engine/exercise.h"
#include "playground/engine/programs.h"
#include "ptx/parser.h"
#include "report/json.h"
#include "report/source.h"

namespace clcsim::playground {
namespace {

using host::Refusal;
using report::json_string;

// What is wrong with a request, or with its PTX: line 0 where it is no line's.
struct Mistake {
  std::string sentence;
  std::size_t line = 0;
};

[[noreturn]] void refuse(const std::string& sentence) {
  throw Mistake{sentence};
}

const Json& find_by_id(const Json& list, const std::string& id) {
  static const Json kNone;
  for (const Json& each : list.array()) {
    if (each["id"].text() == id) return each;
  }
  return kNone;
}

const Json& find_kernel(const Json& programs, const std::string& program, const std::string& id) {
  const Json& found = find_by_id(programs, program);
  if (found.is_null()) refuse("there is no program '" + program + "'");
  const Json& kernel = find_by_id(found["kernels"], id);
  if (kernel.is_null()) refuse("the program " + program + " has no kernel '" + id + "'");
  return kernel;
}

std::int64_t value_of(const std::string& name, const Json& option, const Json& given) {
  if (given.is_null()) return option["default"].whole(0);
  const std::int64_t least = option["min"].whole(0), most = option["max"].whole(0),
                     step = option["step"].whole(1);
  const Json::Array& names = option["names"].array();
  for (std::size_t i = 0; given.is_text() && i < names.size(); ++i) {
    if (given.text() == names[i].text()) return static_cast<std::int64_t>(i);
  }
  const std::int64_t value = given.is_text() ? least - 1 : given.whole(given.truth() ? 1 : 0);
  if (value < least || value > most || value % step != 0) {
    refuse(name + " must be " +
           (step == 1 ? "a whole number" : "a multiple of " + std::to_string(step)) + " from " +
           std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

// Of all options of the kernel.
Values read_values(const Json& kernel, const Json& given) {
  Values values;
  for (const auto& [name, option] : kernel["options"].object()) {
    values[name] = value_of(name, option, given[name]);
  }
  for (const auto& [name, value] : given.object()) {
    if (values.contains(name)) continue;
    refuse("the kernel " + kernel["id"].text() + " has no option '" + name + "'");
  }
  return values;
}

config::Profile read_profile(const std::string& gpu) {
  if (gpu.find('\n') != gpu.npos || gpu.find(' ') != gpu.npos) {
    return config::parse_profile(gpu, "the GPU");
  }
  if (config::is_profile_file(gpu)) refuse("a GPU is given by its name or as a text");
  const std::optional<config::Profile> profile = config::find_profile(gpu.empty() ? "mini" : gpu);
  if (!profile) refuse("there is no GPU '" + gpu + "'");
  return *profile;
}

// As the chapters' own gate.
void require_clc(const config::Profile& profile, const std::string& ptx) {
  if (profile.major >= 10 || ptx.find("clusterlaunchcontrol") == ptx.npos) return;
  refuse("this kernel needs compute capability 10.0, and " + profile.name + " has " +
         std::to_string(profile.major) + "." + std::to_string(profile.minor));
}

// ---- the reply ----

std::string field(const char* name, const std::string& json) {
  return std::string(",\"") + name + "\":" + json;
}
std::string field(const char* name, std::uint64_t value) {
  return field(name, std::to_string(value));
}
std::string dim(const machine::Dim3& size) {
  return "[" + std::to_string(size.x) + "," + std::to_string(size.y) + "," +
         std::to_string(size.z) + "]";
}

std::string counts_text(const report::Statistics::Row& row) {
  return field("started", row.counts.blocks_started) + field("stolen", row.counts.blocks_stolen) +
         field("refused", row.counts.requests_refused) + field("requests", row.counts.requests) +
         field("cycles", row.cycles) + field("instructions", row.instructions);
}

const char* word_of(Outcome::Word word) {
  return word == Outcome::Word::pass    ? "PASS"
         : word == Outcome::Word::wrong ? "WRONG"
                                        : "INCONCLUSIVE";
}

std::string error_text(const Mistake& mistake) {
  const std::string line = mistake.line == 0 ? "null" : std::to_string(mistake.line);
  return "{\"error\":{\"message\":" + json_string(mistake.sentence) + ",\"line\":" + line + "}";
}

std::string error_name(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ")";
}

std::string failure_sentence(const Host& host, cudaError_t error) {
  const machine::DeviceFault* fault = host.gpu().fault();
  if (fault == nullptr) return "The launch failed: " + error_name(error) + ".";
  if (fault->kind == machine::FaultKind::deadlock) return "The kernel never ends: a deadlock.";
  if (fault->kind == machine::FaultKind::unsupported) {
    return "The kernel was refused: " + fault->what + ".";
  }
  return "The kernel was stopped: " + (fault->what.empty() ? "a fault" : fault->what) + ".";
}

std::string failed_text(const Host& host, cudaError_t error) {
  if (const machine::DeviceFault* fault = host.gpu().fault()) error = cudart::error_of(fault->kind);
  return field("right", "false") + field("verdict", json_string(failure_sentence(host, error))) +
         field("says", json_string(error_name(error))) + field("word", "\"FAILED\"");
}

// All but how it ended. `main`: of the launch whose counts are the run's.
std::string facts_text(Host& host, std::uint64_t main, const std::string& command) {
  std::vector<report::Statistics::Row> rows = host.statistics().rows();
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.serial < b.serial; });
  std::string text, launches;
  for (const report::Statistics::Row& row : rows) {
    if (row.serial == main) {
      text += counts_text(row) +
              field("ran", "{\"grid\":" + dim(row.grid) + ",\"block\":" + dim(row.block) +
                               ",\"cluster\":" + dim(row.cluster) + "}");
    }
    launches += (launches.empty() ? "{\"kernel\":" : ",{\"kernel\":") + json_string(row.kernel) +
                field("blocks", row.grid.count()) + counts_text(row) +
                field("finished", row.finished ? "true" : "false") + "}";
  }
  const std::string record = host.record(command);
  return text + field("launches", "[" + launches + "]") +
         field("findings", host.findings().json()) + field("text", json_string(host.text())) +
         field("printed", json_string(host.printed())) +
         field("record", record.empty() ? "null" : record);
}

std::string judged_text(const Outcome& outcome) {
  const bool right = outcome.word != Outcome::Word::wrong;
  return field("right", right ? "true" : "false") + field("verdict", json_string(outcome.verdict)) +
         field("word", json_string(word_of(outcome.word))) + field("steals", outcome.steals) +
         field("missed", static_cast<std::uint64_t>(outcome.audit.missed)) +
         field("doubled", static_cast<std::uint64_t>(outcome.audit.doubled)) +
         field("wrong", static_cast<std::uint64_t>(outcome.audit.wrong)) +
         (outcome.urgent == 0 ? "" : field("urgent", outcome.urgent)) +
         (outcome.says.empty() ? "" : field("says", json_string(outcome.says))) +
         (outcome.also.empty() ? "" : field("also", json_string(outcome.also))) +
         (outcome.timed == 0 ? ""
                             : field("prologues", outcome.prologues) +
                                   field("timed", outcome.timed) + field("copied", outcome.copied));
}

// The command that makes the same run of the executable, launches that are only timed aside.
std::string command_of(const std::string& program, const Json& kernel, const Values& values,
                       const std::string& gpu, std::uint64_t seed) {
  std::string command = "clcsim";
  if (!gpu.empty() && gpu != "mini" && gpu.find('\n') == gpu.npos) command += " --gpu " + gpu;
  if (seed != 0) command += " --seed " + std::to_string(seed);
  command += " " + program;
  const std::string& pitfall = kernel["pitfall"].text();
  if (!pitfall.empty())
    return command + " " + pitfall + (kernel["broken"].truth() ? "" : " --fixed");
  command += " --kernel " + kernel["id"].text();
  for (const auto& [name, value] : values) {
    if (value == kernel["options"][name]["default"].whole(0)) continue;
    command += " --" + name + " " + std::to_string(value);
  }
  return command;
}

}  // namespace

Engine::Engine(std::string_view catalogue) : catalogue_(Json::parse(catalogue)) {
  for (const Json& program : catalogue_["programs"].array()) {
    for (const auto& [path, text] : program["sources"].object())
      report::give_file(path, text.text());
  }
}

std::string Engine::run(std::string_view request_text,
                        const std::function<void(const Progress&)>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const auto end = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3f", spent.count());
    return field("seconds", std::string(seconds)) + "}";
  };
  try {
    const Json request = Json::parse(request_text);
    if (!request["exercise"].is_null()) return check_exercise(request, progress) + end();
    const std::string &id = request["program"].text(), &gpu = request["gpu"].text();
    const Json& listed = find_kernel(catalogue_["programs"], id, request["kernel"].text());
    const Kernel kernel = kernel_of(listed, id);
    if (kernel.run == nullptr) refuse("the playground can't run " + kernel.id + " of " + id);
    Values values = read_values(listed, request["options"]);
    for (const char* name : {"warmup", "runs", "after"}) {
      values[name] = std::clamp<std::int64_t>(request[name].whole(0), 0, 1000);
    }
    const Json& ptx = request["ptx"].is_null() ? listed["ptx"] : request["ptx"];
    const auto seed =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, request["seed"].whole(0)));
    const std::int64_t cycles = request["cycles"].whole(0);
    const double seconds = request["seconds"].number(0);
    const config::Profile profile = read_profile(gpu);
    require_clc(profile, ptx.text());
    Host host(
        {.profile = profile,
         .seed = seed,
         .check = request["checks"].is_null() || request["checks"].truth() ? config::Check::all
                                                                           : config::Check::off,
         .record = request["record"].truth(),
         .cycles = cycles > 0 ? static_cast<Time>(cycles) : machine::kNever,
         .seconds = seconds > 0 ? seconds : 1e9,
         .progress = progress},
        ptx.text());
    std::string head, judgement;
    std::uint64_t launch = kernel.launch;
    try {
      host.get_device_properties();  // the device gate; cudaGetDevice costs the same
      host.get_device_properties();
      const Outcome outcome = kernel.run(host, kernel, values);
      if (outcome.launch != 0) launch = outcome.launch;
      head = "{\"error\":null";
      judgement = judged_text(outcome);
    } catch (const cudart::Failure& failure) {
      head = "{\"error\":null";
      judgement = failed_text(host, failure.error);
    } catch (const Refusal& refusal) {
      head = error_text({refusal.what()});
      judgement = field("right", "null") + field("verdict", json_string(refusal.what()));
    }
    host.write_summary();
    return head + judgement + facts_text(host, launch, command_of(id, listed, values, gpu, seed)) +
           end();
  } catch (const Mistake& mistake) {
    return error_text(mistake) + end();
  } catch (const cudart::Failure& failure) {
    return error_text({"the host's call failed: " + error_name(failure.error)}) + end();
  } catch (const ptx::ParseError& error) {
    return error_text({error.what(), error.position().line}) + end();
  } catch (const std::bad_alloc&) {
    return error_text({"the memory of this page is too small for the run: make the problem or the "
                       "GPU smaller"}) +
           end();
  } catch (const std::exception& error) {
    return error_text({error.what()}) + end();
  }
}

}  // namespace clcsim::playground
