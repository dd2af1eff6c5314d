#include "playground/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>

#include "config/profile_file.h"
#include "playground/engine/programs.h"
#include "ptx/parser.h"
#include "report/json.h"
#include "report/source.h"

namespace clcsim::playground {
namespace {

using host::Refusal;
using report::JsonWriter;

// The one of the list with this id; `otherwise`: "there is no program".
const Json& find(const Json& list, const std::string& id, const std::string& otherwise) {
  for (const Json& each : list.array()) {
    if (each["id"].text() == id) return each;
  }
  throw Refusal(otherwise + " '" + id + "'");
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
    throw Refusal(name + " must be " +
                  (step == 1 ? "a whole number" : "a multiple of " + std::to_string(step)) +
                  " from " + std::to_string(least) + " to " + std::to_string(most));
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
    throw Refusal("the kernel " + kernel["id"].text() + " has no option '" + name + "'");
  }
  return values;
}

// As the chapters' own gate.
void require_clc(const config::Profile& profile, const std::string& ptx) {
  if (profile.major >= 10 || ptx.find("clusterlaunchcontrol") == ptx.npos) return;
  throw Refusal("this kernel needs compute capability 10.0, and " + profile.name + " has " +
                std::to_string(profile.major) + "." + std::to_string(profile.minor));
}

// ---- the reply ----

void put_counts(JsonWriter& json, const report::Statistics::Row& row) {
  json.members("started", row.counts.blocks_started, "stolen", row.counts.blocks_stolen, "refused",
               row.counts.requests_refused, "requests", row.counts.requests, "cycles", row.cycles,
               "instructions", row.instructions);
}

// line 0: the mistake is no line's.
void put_error(JsonWriter& json, const std::string& sentence, std::size_t line = 0) {
  json.members("error", [&] {
    json.members("message", sentence);
    put_raw(json, "line", line == 0 ? "" : std::to_string(line));
  });
}

std::string error_name(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ")";
}

std::string failure_sentence(const Host& host, cudaError_t error) {
  const machine::DeviceFault* fault = host.context().gpu().fault();
  if (fault == nullptr) return "The launch failed: " + error_name(error) + ".";
  if (fault->kind == machine::FaultKind::deadlock) return "The kernel never ends: a deadlock.";
  if (fault->kind == machine::FaultKind::unsupported) {
    return "The kernel was refused: " + fault->what + ".";
  }
  return "The kernel was stopped: " + (fault->what.empty() ? "a fault" : fault->what) + ".";
}

void put_failure(JsonWriter& json, const Host& host, cudaError_t error) {
  json.members("right", false, "verdict", failure_sentence(host, error), "says", error_name(error),
               "word", "FAILED");
}

// All but how it ended. `main`: of the launch whose counts are the run's.
void put_facts(JsonWriter& json, Host& host, std::uint64_t main, const std::string& command) {
  std::vector<report::Statistics::Row> rows = host.context().statistics()->rows();
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.serial < b.serial; });
  for (const report::Statistics::Row& row : rows) {
    if (row.serial != main) continue;
    put_counts(json, row);
    json.members(
        "ran", [&] { json.members("grid", row.grid, "block", row.block, "cluster", row.cluster); });
  }
  json.array("launches", [&] {
    for (const report::Statistics::Row& row : rows) {
      json.value([&] {
        json.members("kernel", row.kernel, "blocks", row.grid.count());
        put_counts(json, row);
        json.members("finished", row.finished);
      });
    }
  });
  put_raw(json, "findings", host.context().findings().json());
  json.members("text", host.text(), "printed", host.printed());
  put_raw(json, "record", host.record(command));
}

void put_outcome(JsonWriter& json, const Outcome& outcome) {
  json.members("right", outcome.word != "WRONG", "verdict", outcome.verdict, "word", outcome.word,
               "steals", outcome.steals, "missed", outcome.audit.missed, "doubled",
               outcome.audit.doubled, "wrong", outcome.audit.wrong);
  if (outcome.urgent != 0) json.members("urgent", outcome.urgent);
  if (outcome.timed == 0) return;
  json.members("prologues", outcome.prologues, "timed", outcome.timed, "copied", outcome.copied);
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

config::Profile read_profile(const std::string& gpu) {
  if (gpu.find_first_of(" \n") != gpu.npos) return config::parse_profile(gpu, "the GPU");
  if (config::is_profile_file(gpu)) throw Refusal("a GPU is given by its name or as a text");
  const std::optional<config::Profile> profile = config::find_profile(gpu.empty() ? "mini" : gpu);
  if (!profile) throw Refusal("there is no GPU '" + gpu + "'");
  return *profile;
}

void put_raw(JsonWriter& json, std::string_view name, const std::string& value) {
  json.key(name);
  json.raw(value.empty() ? "null" : value);
}

void pass_gate() {
  int device = 0;
  cudaDeviceProp gpu;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, device));
}

Engine::Engine(std::string_view catalogue) : catalogue_(Json::parse(catalogue)) {
  for (const Json& program : catalogue_["programs"].array()) {
    for (const auto& [path, text] : program["sources"].object())
      report::give_file(path, text.text());
  }
}

void Engine::run_kernel(const Json& request, const Watcher& progress, JsonWriter& json) const {
  const std::string &id = request["program"].text(), &gpu = request["gpu"].text();
  const Json& program = find(catalogue_["programs"], id, "there is no program");
  const Json& listed = find(program["kernels"], request["kernel"].text(), id + " has no kernel");
  const Kernel kernel = kernel_of(listed, id);
  if (kernel.run == nullptr) throw Refusal("the playground can't run " + kernel.id + " of " + id);
  Values values = read_values(listed, request["options"]);
  for (const char* name : {"warmup", "runs", "after"}) {
    values[name] = std::clamp<std::int64_t>(request[name].whole(0), 0, 1000);
  }
  const Json& ptx = request["ptx"].is_null() ? listed["ptx"] : request["ptx"];
  const auto seed = static_cast<std::uint64_t>(std::max<std::int64_t>(0, request["seed"].whole(0)));
  const std::int64_t cycles = request["cycles"].whole(0);
  const double seconds = request["seconds"].number(0);
  const config::Profile profile = read_profile(gpu);
  require_clc(profile, ptx.text());
  Host host({.profile = profile,
             .seed = seed,
             .check = request["checks"].is_null() || request["checks"].truth() ? config::Check::all
                                                                               : config::Check::off,
             .record = request["record"].truth(),
             .cycles = cycles > 0 ? static_cast<Time>(cycles) : machine::kNever,
             .seconds = seconds > 0 ? seconds : 1e9,
             .progress = progress},
            ptx.text());
  std::uint64_t launch = kernel.launch;
  try {
    pass_gate();
    const Outcome outcome = kernel.run(host, kernel, values);
    if (outcome.launch != 0) launch = outcome.launch;
    put_raw(json, "error", "");
    put_outcome(json, outcome);
  } catch (const Failed& failed) {
    const std::string& why = host.stopped().empty() ? host.refused() : host.stopped();
    if (!why.empty()) {
      put_error(json, why);
    } else {
      put_raw(json, "error", "");
      put_failure(json, host, failed.error);
    }
  } catch (const Refusal& refusal) {
    put_error(json, refusal.what());
  }
  host.write_summary();
  put_facts(json, host, launch, command_of(id, listed, values, gpu, seed));
}

std::string Engine::run(std::string_view request_text, const Watcher& progress) const {
  const auto begin = std::chrono::steady_clock::now();
  const auto reply = [&](const auto& put) {
    JsonWriter json;
    json.value([&] {
      put(json);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%.3f", spent.count());
      put_raw(json, "seconds", seconds);
    });
    return json.take();
  };
  const auto mistake = [&](const std::string& sentence, std::size_t line = 0) {
    return reply([&](JsonWriter& json) { put_error(json, sentence, line); });
  };
  try {
    const Json request = Json::parse(request_text);
    return reply([&](JsonWriter& json) {
      if (request["exercise"].is_null()) return run_kernel(request, progress, json);
      check_exercise(request, progress, json);
    });
  } catch (const Failed& failed) {
    return mistake("the host's call failed: " + error_name(failed.error));
  } catch (const ptx::ParseError& error) {
    return mistake(error.what(), error.position().line);
  } catch (const std::bad_alloc&) {
    return mistake(
        "the memory of this page is too small for the run: make the problem or the GPU smaller");
  } catch (const std::exception& error) {
    return mistake(error.what());
  }
}

}  // namespace clcsim::playground

// CUDA_CHECK of the chapters' code and of the exercises' checks; not thrown while another one is
// under way, in destructors.
void clc::check(cudaError_t error, const std::string& call, const char*, int) {
  if (error == cudaSuccess || std::uncaught_exceptions() != 0) return;
  if (error == cudaErrorMemoryAllocation && call.find("Malloc") != call.npos)
    throw clcsim::host::Refusal("there is no memory for the problem: give fewer elements");
  throw clcsim::playground::Failed{error};
}
