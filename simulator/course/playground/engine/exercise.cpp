#include "playground/engine/exercise.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <vector>

#include "config/profile_file.h"
#include "cudart/account_keeper.h"
#include "cudart/errors.h"
#include "cudart/failure.h"
#include "cudart/seal.h"
#include "exercises/drawn_gpu.h"
#include "exercises/judges.h"
#include "exercises/verdict_words.h"
#include "performer.h"
#include "playground/engine/exercise_hosts.h"
#include "playground/engine/ptx_part.h"
#include "report/json.h"
#include "report/source.h"

namespace clcsim::playground {
namespace {

using cudart::Record;
using exercises::Exercise;
using exercises::Verdict;
using host::Host;
using host::Refusal;
using report::Json;
using report::json_string;

constexpr std::size_t kCountersSize = 64;  // bytes

// The check is over, as when the student's program ends.
struct Over {};

// Performs a check as perform.cpp does in the student's program.
class HostsCode : public clc::Performer {
 public:
  HostsCode(Host& host, const std::string& exercise, std::vector<long long> values)
      : host_(host), exercise_(exercise), values_(std::move(values)) {
    keeper_ = cudart::keep_account(
        host.gpu(),
        [this](Record kind, const void* data, std::size_t size) { write(kind, data, size); });
    host.gpu().attach(keeper_.get());
  }

  const std::string& account() const { return account_; }
  void end() {
    const auto findings = static_cast<std::uint32_t>(host_.findings().findings());
    write(Record::end, &findings, sizeof findings);
  }

  void tiles(const clc::Problem& problem, clc::Launch) override {
    note(clc::note_of(problem));
    const std::vector<float> x = clc::make_x(problem);
    const std::uint64_t y = host_.malloc(x.size() * sizeof(float));
    host_.copy_to_device(y, x.data(), x.size() * sizeof(float));
    const std::uint64_t counters = host_.malloc(kCountersSize);
    host_.clear(counters, kCountersSize);
    host_.device_synchronize();
    keeper_->watch(y, x.size() * sizeof(float), counters);
    note("run");
    must_succeed("launch", [&] {
      const ExerciseLaunch& launch = next_launch(launches_++);
      host_.launch(std::string(launch.kernel), launch.shape(problem.tiles), problem, y, counters);
    });
    watched();
    show_bytes(counters, clc::kEvents * sizeof(std::uint64_t));
    host_.free(y);
    host_.free(counters);
  }
  void note(const std::string& text) override { write(Record::note, text.data(), text.size()); }
  void watch(float*, long long, unsigned long long*) override { cannot_perform(); }
  void watch_aside(const void*, std::size_t) override { cannot_perform(); }
  void watched() override {
    end_run();
    keeper_->end_watch();
  }
  void show(const void*, std::vector<unsigned char>& copy) override {
    const std::uint64_t address = host_.variable(shown_);
    show_bytes(address, copy.size());
    host_.copy_to_host(copy.data(), address, copy.size());
  }
  void end_run() override {
    note("launched");
    must_succeed("kernel", [&] { host_.device_synchronize(); });
    note("finished");
  }
  long long value() override { return next_ < values_.size() ? values_[next_++] : 0; }
  int resident(const char* kernel) override {
    return host_.max_active_blocks(kernel, next_launch(launches_).block()) * host_.profile().sms;
  }
  void show_variable(const char* name) override { shown_ = name; }

 private:
  [[noreturn]] static void cannot_perform() {
    throw Refusal("the engine can't perform the check of this exercise");
  }
  const ExerciseLaunch& next_launch(std::size_t number) const {
    const ExerciseLaunch* const launch = find_exercise_launch(exercise_, number);
    if (launch == nullptr) throw Refusal("the engine can't launch the kernel of this exercise");
    return *launch;
  }
  void write(Record kind, const void* data, std::size_t size) {
    const cudart::RecordHead head = cudart::sealed({}, records_++, kind, data, size);
    account_.append(reinterpret_cast<const char*>(&head), sizeof head);
    account_.append(static_cast<const char*>(data), size);
  }
  void show_bytes(std::uint64_t address, std::size_t bytes) {
    const std::byte* const memory = host_.gpu().memory().translate(address, bytes);
    if (memory != nullptr) write(Record::memory, memory, bytes);
  }
  void must_succeed(const std::string& what, const std::function<void()>& call) {
    try {
      call();
    } catch (const cudart::Failure& failure) {
      const machine::DeviceFault* const fault = host_.gpu().fault();
      const cudaError_t error = fault == nullptr ? failure.error : cudart::error_of(fault->kind);
      note("failed " + what + " " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
           ")");
      throw Over{};
    }
  }

  Host& host_;
  const std::string exercise_;
  const std::vector<long long> values_;
  std::unique_ptr<cudart::AccountKeeper> keeper_;
  std::string account_, shown_;
  std::uint64_t records_ = 0;
  std::size_t next_ = 0, launches_ = 0;
};

struct Asked {
  const Json& request;
  const Exercise& exercise;
  const std::string& ptx;
  const std::function<void(const host::Progress&)>& progress;
};

config::Profile profile_of(const std::string& gpu) {
  const std::optional<config::Profile> found = config::find_profile(gpu);
  if (!found) throw Refusal("there is no GPU '" + gpu + "'");
  return *found;
}

// One of the module's choices, c17::multiply, as if it stood alone.
std::string chosen_kernel(const std::string& ptx, const std::string& choice,
                          const std::string& kernel) {
  std::string text = part_of(ptx, {choice + "::" + kernel}, choice + "::" + kernel).text;
  const auto mangled = [](const std::string& name) { return std::to_string(name.size()) + name; };
  const std::string long_name = "N" + mangled(choice) + mangled(kernel) + "E";
  for (std::size_t at = 0; (at = text.find(long_name, at)) != text.npos;)
    text.replace(at, long_name.size(), mangled(kernel));
  return text;
}

// One run: under one seed, on one GPU. The player's record of it, if it is asked for.
std::string run_once(const Asked& asked, const std::string& gpu, std::uint64_t seed,
                     Verdict& verdict) {
  host::Settings settings = {
      .seed = seed,
      .record = asked.request["record"].truth(),
      .cycles = static_cast<machine::Time>(asked.request["cycles"].whole(50'000'000)),
      .seconds = asked.request["seconds"].number(1e9),
      .progress = asked.progress};
  verdict.gpu = gpu;
  verdict.seed = std::to_string(seed);
  if (gpu == exercises::kDrawn) {
    const exercises::DrawnGpu drawn = exercises::draw_gpu(seed);
    settings.profile = config::parse_profile(drawn.text, "the GPU");
    settings.answers.refuse = static_cast<std::uint64_t>(drawn.refuse);
    verdict.refuse = std::to_string(drawn.refuse);
    verdict.drawn = drawn.text;
  } else {
    settings.profile = profile_of(gpu);
  }
  std::vector<long long> values;
  for (const Json& value : asked.request["yours"].array()) values.push_back(value.whole(0));
  void (*const check)() = exercises::check_of(asked.exercise.id);

  Host host(settings, asked.ptx);
  host.get_device_properties();
  host.get_device_properties();
  HostsCode code(host, asked.exercise.id, std::move(values));
  bool stopped = false;
  clc::performer = &code;
  clc::set_seed(seed);
  try {
    check();
    code.end();
  } catch (const Over&) {
  } catch (const host::Stopped& limit) {
    stopped = true;
    verdict.notes = std::string(limit.what()) + '\n';
  } catch (...) {
    clc::performer = nullptr;
    throw;
  }
  clc::performer = nullptr;
  host.write_summary();

  const clc::Judged judged = clc::judge(check, code.account(), seed);
  verdict.finding = exercises::first_finding(Json::parse(host.findings().json()));
  verdict.failed = stopped ? "too slow" : judged.failed;
  verdict.status = stopped ? exercises::kStopped : judged.code;
  verdict.report = exercises::lines_of(host.text(), true, exercises::kMostReported);
  verdict.output = host.printed() + (stopped ? "" : judged.text);
  verdict.cause = exercises::cause_of(verdict, judged.half_a_fence);
  if (verdict.status == exercises::kPass && judged.findings > 0) {
    verdict.status = exercises::kFindings;
    verdict.failed = "ended";
  }
  return host.record("clcsim" + exercises::joined(exercises::run_options(verdict)) + " " +
                     asked.exercise.id);
}

// All GPUs and seeds, to the first run that fails.
Verdict run_all(const Asked& asked) {
  Verdict verdict{
      .exercise = asked.exercise.id, .file = asked.exercise.file, .seeds = asked.exercise.seeds};
  for (const std::string& gpu : asked.exercise.gpus) {
    std::string output_of_first;
    for (int seed = 0; seed < asked.exercise.seeds; ++seed) {
      run_once(asked, gpu, static_cast<std::uint64_t>(seed), verdict);
      if (verdict.status != exercises::kPass) return verdict;
      if (seed == 0) output_of_first = verdict.output;
    }
    verdict.output = output_of_first;
  }
  return verdict;
}

}  // namespace

std::string check_exercise(const Json& request,
                           const std::function<void(const host::Progress&)>& progress) {
  const Json& asked = request["exercise"];
  Exercise exercise{.id = asked["id"].text(),
                    .file = asked["file"].text(),
                    .seeds = static_cast<int>(asked["seeds"].whole(1))};
  for (const Json& gpu : asked["gpus"].array()) exercise.gpus.push_back(gpu.text());
  for (const auto& [path, text] : request["sources"].object()) report::give_file(path, text.text());
  std::string ptx = request["ptx"].text();
  if (const std::string& choice = request["choice"].text(); !choice.empty()) {
    const ExerciseLaunch* const launch = find_exercise_launch(exercise.id, 0);
    if (launch != nullptr) ptx = chosen_kernel(ptx, choice, std::string(launch->kernel));
  }
  std::string record;
  Verdict verdict;
  if (request["record"].truth()) {
    record = run_once({request, exercise, ptx, progress}, exercise.gpus.at(0),
                      static_cast<std::uint64_t>(request["seed"].whole(0)), verdict);
  } else {
    verdict = run_all({request, exercise, ptx, progress});
  }
  exercises::put_into_words(exercise, verdict);
  if (verdict.status != exercises::kPass)
    verdict.hints = exercises::find_hints(asked["hints"].text(), asked["common hints"].text(),
                                          {verdict.cause, verdict.reason, verdict.failed});
  const Json& before = request["before"];  // the last time; the same failure gets the next hint
  const int step =
      before["reason"].text() == verdict.reason ? static_cast<int>(before["step"].whole(0)) + 1 : 1;
  return "{\"error\":null,\"verdict\":" + exercises::to_json(verdict) +
         ",\"text\":" + json_string(exercises::explanation_of(verdict, step)) +
         ",\"step\":" + std::to_string(step) + ",\"record\":" + (record.empty() ? "null" : record);
}

}  // namespace clcsim::playground
