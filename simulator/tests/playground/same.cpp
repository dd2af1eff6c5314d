// clcsim_playground_same CLCSIM BIN CATALOGUE PROGRAM [SEEDS [GPU...]]: whether the playground's
// engine says of each kernel of a program what clcsim says of the chapter's executable: every
// launch's counts, instructions and cycles, what the player shows of it, the findings, the verdict.
// As many processes compare as there are cores.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <sstream>
#include <thread>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/output_file.h"
#include "playground/engine/engine.h"
#include "playground/engine/programs.h"

namespace {

using namespace clcsim::playground;
using clcsim::config::text_of_file;

// Small, and yet more tiles than the GPU holds as blocks.
struct Size {
  const char *elements, *threads;
};
Size size_of(const std::string& gpu) {
  return gpu == "mini" ? Size{"3003", "64"} : Size{"5003", "1024"};
}

struct Case {
  Kernel kernel;
  std::string gpu;
  unsigned seed;
  bool urgent;
};

// What both say, in the same words. `played`: of the same launches, what the player has of them.
struct Account {
  std::vector<std::string> launches, played;
  std::string findings, verdict;
  bool operator==(const Account&) const = default;
};

std::string without_newlines(std::string text) {
  std::erase(text, '\n');
  return text;
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.rfind(end) - at);
}

// When each launch was submitted, began and ended, and all that its blocks and requests did. What
// warps and mbarriers did is left out: how much of it is kept depends on the number of launches.
std::vector<std::string> played(const Json& record) {
  std::vector<std::string> launches;
  for (const Json& launch : record["launches"].array()) {
    std::string all = launch["kernel"].text();
    for (const char* name : {"serial", "submitted", "started", "finished"}) {
      all += " " + std::to_string(launch[name].whole(-1));
    }
    for (const char* name : {"rows", "blocks", "requests"}) all += " " + launch[name].text();
    launches.push_back(all);
  }
  return launches;
}

Account of_reply(const std::string& reply) {
  const Json said = Json::parse(reply);
  Account account;
  account.played = played(said["record"]);
  for (const Json& launch : said["launches"].array()) {
    std::string row = launch["kernel"].text();
    for (const char* name : {"blocks", "started", "stolen", "refused", "instructions", "cycles"}) {
      row += " " + std::to_string(launch[name].whole(-1));
    }
    account.launches.push_back(row);
  }
  const std::string ahead = reply.substr(0, reply.find(",\"record\":"));  // which has findings, too
  account.findings = without_newlines(between(ahead, ",\"findings\":", ",\"text\":"));
  const std::string& word = said["word"].text();
  account.verdict = !said["error"].is_null() ? "error: " + said["error"]["message"].text() : word;
  if (word == "FAILED") return account;
  for (const char* name : {"steals", "missed", "doubled", "wrong"}) {
    account.verdict += " " + std::to_string(said[name].whole(-1));
  }
  return account;
}

// Of the rows of --stats: "  1  multiply<2, 1, 1>  64  256  64  8  56  8  1.0  6317  4889".
std::string row_of(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
  if (all.size() < 11 || all[0].find_first_not_of("0123456789") != std::string::npos) return {};
  const std::size_t numbers = all.size() - 9;  // grid, block, blocks, started, ...
  std::string row;
  for (std::size_t i = 1; i < numbers; ++i) row += (i == 1 ? "" : " ") + all[i];
  for (const std::size_t i : {2, 3, 4, 5, 7, 8}) row += " " + all[numbers + i];
  return row;
}

Account of_executable(const std::string& clcsim, const std::string& executable, const Case& each,
                      const std::string& folder) {
  const std::string stats = folder + "/stats", json = folder + "/json", out = folder + "/out",
                    page = folder + "/page.html";
  const Kernel& kernel = each.kernel;
  std::string command = "'" + clcsim + "' --gpu " + each.gpu + " --seed " +
                        std::to_string(each.seed) + " --stats --check-json '" + json +
                        "' --timeline '" + page + "' '" + executable + "' --json";
  if (kernel.pitfall.empty()) {
    const auto [elements, threads] = size_of(each.gpu);
    command += " --warmup 0 --runs 1 --tile 16 --prologue 3 --kernel " + kernel.id +
               " --elements " + elements + " --threads " + threads;
    command += each.urgent ? " --urgent 1" : "";
  } else {
    command += " " + kernel.pitfall + (kernel.broken ? " --broken" : " --fixed");
  }
  command += " > '" + out + "' 2> '" + stats + "'";
  if (std::system(command.c_str()) < 0) return {};

  Account account;
  std::istringstream lines(text_of_file(stats));
  for (std::string line; std::getline(lines, line);) {
    if (const std::string row = row_of(line); !row.empty()) account.launches.push_back(row);
  }
  const std::string html = text_of_file(page), begin = "id=\"record\">";
  const std::size_t record = html.find(begin) + begin.size();
  account.played =
      played(Json::parse(html.substr(record, html.find("</script>", record) - record)));
  const std::string found = text_of_file(json);
  account.findings = "[" + without_newlines(between(found, "[", "]")) + "]";
  const std::string output = text_of_file(out);
  const Json said = output.empty() ? Json() : Json::parse(output.substr(0, output.find('\n')));
  const std::string& error = said["error"].text();
  if (!error.empty() && error != "cudaSuccess") {
    account.verdict = "FAILED";
    return account;
  }
  account.verdict = said["verdict"].text();
  for (const char* name : {"steals", "missed", "doubled", "wrong"}) {
    account.verdict += " " + std::to_string(said[name].whole(-1));
  }
  return account;
}

std::string request_of(const std::string& program, const Case& each) {
  std::string request = R"({"program":")" + program + R"(","kernel":")" + each.kernel.id +
                        R"(","gpu":")" + each.gpu + R"(","record":true,"seed":)" +
                        std::to_string(each.seed);
  if (each.kernel.pitfall.empty()) {
    const auto [elements, threads] = size_of(each.gpu);
    request += std::string(R"(,"options":{"tile":16,"prologue":3,"elements":)") + elements +
               ",\"threads\":" + threads + ",\"urgent\":" + (each.urgent ? "true" : "false") + "}";
  }
  return request + "}";
}

std::string text_of(const char* who, const Account& account) {
  std::string text = std::string("  ") + who + ": " + account.verdict + "\n";
  for (const std::string& row : account.launches) text += "    " + row + "\n";
  for (const std::string& row : account.played) text += "    " + row.substr(0, 200) + "\n";
  return text + "    " + account.findings.substr(0, 2000) + "\n";
}

// Of all processes together.
struct Shared {
  std::atomic<std::size_t> next = 0, different = 0;
};

class Comparison {
 public:
  Comparison(const std::string& clcsim, const std::string& executable, const std::string& catalogue)
      : clcsim_(clcsim), executable_(executable), engine_(text_of_file(catalogue)) {}

  void compare(const std::vector<Case>& cases, Shared& shared) {
    const std::string folder = "/tmp/clcsim_same." + std::to_string(getpid());
    if (std::system(("mkdir -p " + folder).c_str()) != 0) std::abort();
    for (std::size_t i; (i = shared.next++) < cases.size();) {
      const std::string difference = compare(cases[i], folder);
      shared.different += !difference.empty();
      std::cout << difference << std::flush;
    }
    if (std::system(("rm -r " + folder).c_str()) != 0) std::abort();
  }

 private:
  std::string compare(const Case& each, const std::string& folder) {
    const std::string program = executable_.substr(executable_.rfind('/') + 1);
    Account expected = of_executable(clcsim_, executable_, each, folder);
    const Account got = of_reply(engine_.run(request_of(program, each), {}));
    // The executable goes on with launches that are timed; the engine stops after the checked one.
    if (each.kernel.pitfall.empty() && !each.urgent && !got.launches.empty()) {
      expected.launches.resize(got.launches.size());
      expected.played.resize(got.played.size());
    }
    if (got == expected) return {};
    return each.kernel.id + ", " + each.gpu + ", seed " + std::to_string(each.seed) +
           (each.urgent ? ", urgent" : "") + "\n" + text_of("clcsim    ", expected) +
           text_of("playground", got);
  }

  const std::string clcsim_, executable_;
  Engine engine_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "usage: clcsim_playground_same CLCSIM BIN CATALOGUE PROGRAM [SEEDS [GPU...]]\n";
    return 2;
  }
  const std::string clcsim = argv[1], executable = std::string(argv[2]) + "/" + argv[4];
  const unsigned seeds = argc > 5 ? static_cast<unsigned>(std::stoul(argv[5])) : 5;
  std::vector<std::string> gpus(argv + std::min(argc, 6), argv + argc);
  if (gpus.empty()) gpus = {"mini", "b200", "rtx5090"};

  const Json listed = Json::parse(text_of_file(argv[3]));
  std::vector<Case> cases;
  for (const Json& program : listed["programs"].array()) {
    if (program["id"].text() != argv[4]) continue;
    for (const Json& entry : program["kernels"].array()) {
      const Kernel kernel = kernel_of(entry, argv[4]);
      for (const std::string& gpu : gpus) {
        for (unsigned seed = 0; seed < seeds; ++seed) cases.push_back({kernel, gpu, seed, false});
      }
      if (kernel.pitfall.empty()) cases.push_back({kernel, "mini", 1, true});
    }
  }
  if (cases.empty()) {
    std::cout << "skipped: the playground has no kernel of " << argv[4] << "\n";
    return 77;
  }

  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  Shared& shared = *new (memory) Shared;
  std::cout << std::flush;
  Comparison comparison(clcsim, executable, argv[3]);
  unsigned failed = 0;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    const pid_t worker = fork();
    failed += worker < 0;
    if (worker != 0) continue;
    comparison.compare(cases, shared);
    _exit(0);
  }
  for (int status; wait(&status) > 0;) failed += status != 0;
  if (failed != 0) std::cout << failed << " processes failed\n";
  std::cout << cases.size() << " runs of " << argv[4] << " compared, " << shared.different
            << " differ\n";
  return failed != 0 || shared.different != 0 ? 1 : 0;
}
