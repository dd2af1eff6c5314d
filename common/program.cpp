// What every chapter's program does around its kernels: the device gate, the command line, the
// measurements (bench.cpp), the report. Nothing here is about CLC. One file, for one nvcc line.
#include <algorithm>
#include <charconv>
#include <fstream>

#include "bench.cpp"
#include "problem.cpp"

namespace clc {
namespace {

std::string domain(const Knob& knob) {
  return (knob.step == 1 ? "a whole number" : "a multiple of " + std::to_string(knob.step)) +
         " from " + std::to_string(knob.low) + " to " + std::to_string(knob.high);
}

double median(std::vector<double> all) {
  if (all.empty()) return 0;
  std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
  return all[all.size() / 2];
}

}  // namespace

void check(cudaError_t error, const std::string& call, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::string sentence = std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                         cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")";
  if (error == cudaErrorNoKernelImageForDevice)
    sentence +=
        "; the program was compiled for other GPUs, so build it for this one: with "
        "-D CMAKE_CUDA_ARCHITECTURES=native, or nvcc -arch=native";
  if (error == cudaErrorUnsupportedPtxVersion)
    sentence +=
        "; the driver is older than the toolkit that compiled the program, so update the "
        "driver, or build with an older toolkit";
  stop(kBadInput, sentence);
}

cudaDeviceProp require_compute_capability(int major, int minor, int argc, char** argv) {
  const std::string program = argv[0];
  [[maybe_unused]] const std::string folder = program.substr(0, program.rfind('/') + 1);
#ifdef CLC_BESIDE_CLCSIM
  // A chapter's program lies beside the launcher, an exercise's in a folder beside its folder.
  const std::string beside = std::ifstream(folder + "clcsim") ? "" : "../bin/";
  std::string way_out = ". The simulated GPU can: " + folder + beside + "clcsim";
#else
  std::string way_out = ". The simulated GPU of a build of the whole course can: clcsim";
#endif
  for (int i = 0; i < argc; ++i) way_out += std::string(" ") + argv[i];
  const auto refuse = [&](const std::string& why) {
    stop(kNotRun, program + ": not run, since " + why + way_out);
  };
  const auto version = [](int a, int b) { return std::to_string(a) + "." + std::to_string(b); };
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error == cudaErrorNoDevice) refuse("no GPU was found");
  if (error == cudaErrorInsufficientDriver)  // too old, or not there at all
    refuse("there is no NVIDIA driver here that knows CUDA " +
           version(CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10));
  CUDA_CHECK(error);
  cudaDeviceProp gpu = {};
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, device));
  if (10 * gpu.major + gpu.minor < 10 * major + minor)
    refuse(std::string("this ") + gpu.name + " has compute capability " +
           version(gpu.major, gpu.minor) + " and the program needs " + version(major, minor));
  return gpu;
}

std::vector<Knob> knobs(const Options& defaults) {
  std::vector<Knob> all = {
      {"--elements", &Options::elements, 1, 1LL << 40, 1, "length of y"},
      {"--threads", &Options::threads, 32, 1024, 32, "threads of a block"},
      {"--tile", &Options::tile, 4, 1 << 30, 4, "elements of a tile"},
      {"--prologue", &Options::prologue, 0, 1'000'000, 1, "FMAs for each thread to compute alpha"},
      {"--skew", &Options::skew, 0, 10'000, 1,
       "extra FMAs for each tile, unevenly: 8 N on average"},
      {"--shape", &Options::shape, 0, 4, 1,
       "heavy tail 0, random 1, growing 2, periodic 3, even 4"},
      {"--urgent", &Options::urgent, 0, 1, 1,
       "1: a last launch, and a tiny urgent kernel beside it"},
      {"--warmup", &Options::warmup, 0, 1000, 1, "launches before the timed ones"},
      {"--runs", &Options::runs, 1, 1000, 1, "timed launches, of which the median counts"},
  };
  if (defaults.blocks >= 0)
    all.push_back({"--blocks", &Options::blocks, 0, 1'000'000, 1,
                   "blocks to launch, 0: as many as are resident at once"});
  return all;
}

std::string usage(const Options& defaults) {
  std::string text = "usage: " + defaults.chapter + " [options]\n  --kernel NAME: all";
  for (const std::string& name : defaults.kernels) text += ", " + name;
  for (const std::string& name : defaults.apart) text += ", " + name + " (not in all)";
  for (const Knob& knob : knobs(defaults))
    text += std::string("\n  ") + knob.name + " N: " + knob.meaning + "; " + domain(knob) +
            "; default " + std::to_string(defaults.*knob.value);
  return text +
         "\n  --json: the same facts on one line, as a JSON object (with --help: its "
         "options)\nexit status: 0 pass, " +
         "1 wrong result, 2 bad input or CUDA error, 4 nothing was stolen\n  where something " +
         "should have been, 77 not run because no GPU here can\n";
}

std::string described(const Options& defaults) {
  std::string kernels, options;
  for (const std::vector<std::string>* names : {&defaults.kernels, &defaults.apart})
    for (const std::string& name : *names)
      kernels += (kernels.empty() ? "\"" : ",\"") + name + "\"";
  for (const Knob& knob : knobs(defaults))
    options += (options.empty() ? "{\"name\":\"" : ",{\"name\":\"") +
               std::string(knob.name).substr(2) +
               "\",\"default\":" + std::to_string(defaults.*knob.value) +
               ",\"min\":" + std::to_string(knob.low) + ",\"max\":" + std::to_string(knob.high) +
               ",\"step\":" + std::to_string(knob.step) + ",\"says\":\"" + knob.meaning + "\"}";
  return "{\"chapter\":\"" + defaults.chapter + "\",\"kernels\":[" + kernels + "],\"options\":[" +
         options + "]}\n";
}

std::string parse(const std::vector<std::string>& arguments, Options& options) {
  const std::vector<Knob> all = knobs(options);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i], text = i + 1 < arguments.size() ? arguments[i + 1] : "";
    const Knob* knob = nullptr;
    for (const Knob& candidate : all) knob = name == candidate.name ? &candidate : knob;
    if (name == "--json") {
      options.json = 1;
    } else if (knob == nullptr && name != "--kernel") {
      return "unknown option '" + name + "'; --help lists the options";
    } else if (++i == arguments.size()) {
      return name + " needs a value; --help says which";
    } else if (knob == nullptr) {
      options.kernel = text;
      bool known = text == "all";
      for (const std::string& kernel : options.kernels) known |= text == kernel;
      for (const std::string& kernel : options.apart) known |= text == kernel;
      if (!known) return "--kernel can't be '" + text + "'; --help lists the kernels";
    } else {
      long long& value = options.*knob->value;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || *end != '\0' || value < knob->low || value > knob->high ||
          value % knob->step != 0)
        return name + " can't be '" + text + "'; give " + domain(*knob);
    }
  }
  return {};
}

Options read_options(Options options, int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto given = [&](const char* word) {
    return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
  };
  if (given("--help")) {
    std::fputs((given("--json") ? described(options) : usage(options)).c_str(), stdout);
    std::exit(kPass);
  }
  const std::string mistake = parse(arguments, options);
  if (!mistake.empty()) stop(kBadInput, options.chapter + ": " + mistake);
  return options;
}

Problem make_problem(const Options& options) {
  const long long tiles = (options.elements + options.tile - 1) / options.tile;
  std::size_t free = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  if (8 * options.elements > 0.95 * free || tiles >> 31 != 0)  // x and y; a grid
    stop(kBadInput, options.chapter + ": --elements " + std::to_string(options.elements) +
                        " needs more memory or blocks than this GPU has; give fewer");
  Problem problem = {options.elements, (int)options.tile, (int)tiles, (int)options.prologue,
                     (int)options.skew};
  problem.shape = (int)options.shape;
  return problem;
}

ExitCode Run::verdict() const {
  if (!audit.exactly_once()) return kWrong;
  return must_steal && !fallback && counts[kSteals] == 0 ? kInconclusive : kPass;
}

int report(const Options& options, const cudaDeviceProp& gpu, const Problem& problem,
           const std::vector<Run>& runs) {
  std::string out;
  const auto raw = [&](const std::string& key, const std::string& value) {
    out += options.json ? "\"" + key + "\":" + value + "," : key + ": " + value + "\n";
  };
  const auto word = [&](const std::string& key, const std::string& text) {
    raw(key, options.json ? '"' + text + '"' : text);
  };
  const auto say = [&](const std::string& key, auto value) { raw(key, std::to_string(value)); };
  // A simulated GPU has cycles of a model's clock, which are no GPU's milliseconds.
  int kilohertz = 0;
  if (simulated(gpu)) CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  const auto time = [&](const std::string& key, double milliseconds) {
    if (kilohertz == 0) return say(key + "milliseconds", milliseconds);
    say(key + "cycles", std::llround(milliseconds * kilohertz));
  };
  const auto rate = [&](const std::string& key, double milliseconds) {
    const double bytes = 8.0 * problem.elements;  // 4 read and 4 written for each float
    if (kilohertz == 0) return say(key + "gigabytes_per_second", 1e-6 * bytes / milliseconds);
    say(key + "bytes_per_cycle", bytes / (milliseconds * kilohertz));
  };
  const auto judge = [&](const Run& run) {
    const ExitCode code = run.verdict();
    if (code == kWrong)
      word("why", "tile " + std::to_string(run.audit.first_bad_tile) +
                      " is the first one not done exactly once");
    if (code == kInconclusive)
      word("why", "nothing was stolen: if all blocks fit on the GPU at once, give more --elements");
    if (run.fallback)
      word("why", "nothing was stolen: this GPU can't, so each block did its own tile");
    word("verdict", verdict_word(code));
    if (options.json) out.back() = '}';
  };
  word("chapter", options.chapter), word("gpu", gpu.name);
  raw("simulated", simulated(gpu) ? "true" : "false");
  say("elements", problem.elements), say("tiles", problem.tiles), say("tile", problem.tile);
  say("threads", options.threads), say("prologue", problem.prologue), say("skew", problem.skew);
  const Run* worst = &runs[0];
  for (const Run& run : runs) {
    const bool nested = options.json && &run != &runs[0];
    if (nested) out += "\"" + run.kernel + "\":{";
    word("kernel", run.kernel);
    say("blocks_launched", run.blocks), say("blocks_started", run.counts[kStarted]);
    say("prologues", run.counts[kPrologues]), say("steals", run.counts[kSteals]);
    time("", median(run.kernels));
    rate("", median(run.kernels)), rate("copy_", median(run.copies));
    if (options.urgent != 0) {
      time("urgent_", run.urgent_milliseconds);
      time("beside_urgent_", run.beside_urgent_milliseconds);
    }
    say("missed", run.audit.missed), say("doubled", run.audit.doubled);
    say("wrong", run.audit.wrong);
    if (nested) judge(run), out += ",";
    if (run.verdict() == kWrong || worst->verdict() == kPass) worst = &run;
  }
  judge(*worst);
  std::printf(options.json ? "{%s\n" : "%s", out.c_str());
  return worst->verdict();
}

}  // namespace clc
