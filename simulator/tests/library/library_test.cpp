// clcsim as a library: every request gets a reply, whatever it asks for.
#include "library/clcsim.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/output_file.h"
#include "report/json.h"
#include "report/json_reader.h"
#include "tests/machine/kernels.h"

using clcsim::report::Json;
using clcsim::report::json_string;

namespace {

Json read(char* reply) {
  const std::string text = reply;
  clcsim_free(reply);
  return Json::parse(text);
}

std::string request(const std::string& ptx, const std::string& more) {
  return "{\"ptx\":" + json_string(ptx) + "," + more + "}";
}

Json run(const std::string& ptx, const std::string& more, std::vector<clcsim_argument> arguments) {
  return read(clcsim_run(request(ptx, more).c_str(), arguments.data(), arguments.size()));
}

template <class T>
clcsim_argument memory(std::vector<T>& values) {
  return {values.data(), values.size() * sizeof(T), 1, 0};
}

const std::string kSmall = R"("grid":[10,1,1],"block":[32,1,1],"cluster":[0,0,0],"shared":0)";

// One kernel: `body` with %a, the parameter p.
std::string kernel(const std::string& body) {
  return clcsim::test::kHeader +
         ".visible .entry k(.param .u64 p) {\n.reg .b64 %a; .reg .b32 %r<4>;\n"
         "ld.param.u64 %a, [p];\n" +
         body + "\nret;\n}\n";
}

std::string error_of(const Json& reply) {
  return reply["error"]["kind"].text();
}

}  // namespace

TEST_CASE("a kernel runs, steals, and leaves its results in the caller's memory") {
  std::vector<std::uint32_t> visits(10), starts(1);
  const Json reply =
      run(clcsim::test::kStealingLoop, R"("kernel":"steal","options":["--gpu","mini:1"],)" + kSmall,
          {memory(visits), memory(starts)});
  CHECK(reply["error"].is_null());
  CHECK(visits == std::vector<std::uint32_t>(10, 1));
  CHECK(reply["launched"].integer() == 10);
  CHECK(reply["started"].integer() == starts[0]);
  CHECK(reply["started"].integer() + reply["stolen"].integer() == 10);
  CHECK(reply["stolen"].integer() > 0);
  CHECK(reply["failed"].integer() == reply["started"].integer());
  CHECK(reply["findings"].array().empty());
  CHECK(reply["page"].is_null());
  const Json refused =
      run(clcsim::test::kStealingLoop, R"("options":["--gpu","mini:1","--refuse","1"],)" + kSmall,
          {memory(visits), memory(starts)});
  CHECK(refused["started"].integer() == 10);
  CHECK(refused["failed"].integer() == 10);
}

TEST_CASE("what is in a PTX") {
  const Json reply = read(clcsim_kernels(clcsim::test::kStealingLoop.c_str()));
  CHECK(reply["error"].is_null());
  const Json& steal = reply["kernels"].array().at(0);
  CHECK(steal["name"].text() == "steal");
  CHECK(steal["parameters"].array().size() == 2);
  CHECK(steal["parameters"].array().at(1).integer() == 8);
  CHECK(steal["kinds"].text() == "ii");
  CHECK(steal["shared"].integer() == 24);
  CHECK(steal["refusals"].array().empty());
  const Json lacks = read(clcsim_kernels(kernel("setmaxnreg.none.u32 24;").c_str()));
  CHECK(lacks["kernels"].array().at(0)["refusals"].array().at(0).text().find("setmaxnreg.none") !=
        std::string::npos);
  CHECK(error_of(read(clcsim_kernels("nonsense"))) == "ptx");
}

TEST_CASE("what a GPU is") {
  const Json gpu = read(clcsim_gpu("rtx5090:9"));
  CHECK(gpu["capability"].array().at(0).integer() == 12);
  CHECK(gpu["sms"].integer() == 9);
  CHECK(error_of(read(clcsim_gpu("none"))) == "argument");
}

TEST_CASE("arguments with the same memory share one copy; a null pointer is one") {
  std::vector<std::uint32_t> counts(11);
  Json reply = run(clcsim::test::kStealingLoop, R"("kernel":"",)" + kSmall,
                   {memory(counts), memory(counts)});
  CHECK(reply["error"].is_null());
  CHECK(counts[0] == 1 + reply["started"].integer());
  clcsim_argument second = memory(counts);
  second.offset = 10 * sizeof counts[0];
  counts.assign(11, 0);
  reply = run(clcsim::test::kStealingLoop, R"("kernel":"",)" + kSmall, {memory(counts), second});
  CHECK(counts[10] == reply["started"].integer());
  CHECK(reply["addresses"].array().at(1).integer() ==
        reply["addresses"].array().at(0).integer() + 40);
  reply = run(clcsim::test::kStealingLoop, R"("kernel":"",)" + kSmall,
              {memory(counts), {nullptr, 0, 1, 0}});
  CHECK(error_of(reply) == "fault");
}

TEST_CASE("memory that nobody has written is found where a value of it decides") {
  std::vector<std::uint32_t> words(32, 5);
  const std::string copy = kernel("ld.global.u32 %r0, [%a];\nst.global.u32 [%a+4], %r0;");
  const std::string one = R"("grid":[1,1,1],"block":[1,1,1],"cluster":[0,0,0],"shared":0)";
  CHECK(run(copy, one, {memory(words)})["findings"].array().empty());
  clcsim_argument unwritten = memory(words);
  unwritten.memory = 2;
  const Json reply = run(copy, one, {unwritten});
  CHECK(reply["findings"].array().at(0)["name"].text() == "uninitialised-read");
  CHECK(words == std::vector<std::uint32_t>(32, 5));
}

TEST_CASE("findings come with the run") {
  std::vector<std::uint32_t> words(1);
  const Json reply = run(kernel("mov.u32 %r0, %ctaid.x;\nst.global.u32 [%a], %r0;"),
                         R"("page":true,)" + kSmall, {memory(words)});
  CHECK(reply["error"].is_null());
  CHECK(reply["findings"].array().at(0)["name"].text() == "data-race");
  CHECK(reply["text"].text().find("data-race") != std::string::npos);
  CHECK(reply["page"].text().find("<!doctype html>") != std::string::npos);
}

TEST_CASE("what can't be met is one sentence, and what was run stays") {
  std::vector<std::uint32_t> words(1);
  const std::string good = kernel("");
  const auto fails = [&](const std::string& ptx, const std::string& more) {
    const Json reply = run(ptx, more, {memory(words)});
    CHECK(!reply["error"]["message"].text().empty());
    return error_of(reply);
  };
  CHECK(fails(good, R"("kernel":"other",)" + kSmall) == "argument");
  CHECK(fails(good, R"("options":["--gpu","tpu"],)" + kSmall) == "argument");
  CHECK(fails(good, R"("options":["--sed","1"],)" + kSmall) == "argument");
  CHECK(fails(good, R"("grid":[0,1,1],"block":[32,1,1],"shared":0)") == "argument");
  CHECK(fails(good, R"("grid":[1,1,1],"block":[2048,1,1],"shared":0)") == "argument");
  CHECK(fails(good, R"("grid":[1,1,1],"block":[32,1,1],"shared":1000000000)") == "argument");
  CHECK(fails(good, R"("grid":[3,1,1],"block":[32,1,1],"cluster":[2,1,1],"shared":0)") ==
        "argument");
  CHECK(fails(good + "x", kSmall) == "ptx");
  CHECK(fails(kernel("trap;"), kSmall) == "fault");
  CHECK(fails(kernel("LOOP: bra LOOP;"), R"("options":["--limit-cycles","5000"],)" + kSmall) ==
        "limit");
  CHECK(fails(kernel("tcgen05.shift.cta_group::1.down [0];"), kSmall) == "refused");
  CHECK(error_of(read(clcsim_run("{", nullptr, 0))) == "argument");
  CHECK(error_of(run(good, kSmall, {})) == "argument");
}

// y = 2 x as Triton 3.9 and CuTe DSL 4.8 compiled it (tests/python/frontends.py record).
namespace {

struct Recorded {
  std::vector<float> x, y;
  Json reply;
  bool right() const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (y[i] != 2 * x[i]) return false;
    }
    return true;
  }
};

std::string recorded_text(const std::string& frontend) {
  return clcsim::config::text_of_file(RECORDED "/" + frontend + "_scale.rec");
}

Recorded run_recorded(const std::string& ptx, unsigned threads, bool scratch, int seed) {
  Recorded run{.x = std::vector<float>(65 * 256 - 3), .y = std::vector<float>(65 * 256 - 3)};
  for (std::size_t i = 0; i < run.x.size(); ++i) run.x[i] = static_cast<float>(i);
  float alpha = 2;
  auto n = static_cast<int>(run.x.size());
  std::vector<clcsim_argument> arguments = {
      memory(run.y), memory(run.x), {&alpha, sizeof alpha, 0, 0}, {&n, sizeof n, 0, 0}};
  if (scratch) arguments.insert(arguments.end(), 2, {nullptr, 0, 1, 0});
  run.reply = ::run(ptx,
                    "\"options\":[\"--seed\",\"" + std::to_string(seed) +
                        "\"],\"grid\":[65,1,1],\"block\":[" + std::to_string(threads) +
                        ",1,1],\"shared\":64",
                    arguments);
  return run;
}

}  // namespace

// Gluon's compiler is Triton's: the same instructions, but for the arithmetic of addresses.
TEST_CASE("a kernel of Triton steals, is right and silent") {
  for (int seed = 0; seed < 20; ++seed) {
    const Recorded run = run_recorded(recorded_text("triton"), 128, true, seed);
    CHECK(run.reply["error"].is_null());
    CHECK(run.right());
    CHECK(run.reply["stolen"].integer() > 0);
    CHECK(run.reply["findings"].array().empty());
  }
}

TEST_CASE("without Triton's fence, the fence is missed at the Python line") {
  std::string ptx = recorded_text("triton");
  const std::string fence = "fence.proxy.async.shared::cta;";
  ptx.erase(ptx.find(fence), fence.size());
  const Recorded run = run_recorded(ptx, 128, true, 0);
  const Json& finding = run.reply["findings"].array().at(0);
  CHECK(finding["name"].text() == "missing-proxy-fence");
  CHECK(finding["file"].text().find("triton_kernels.py") != std::string::npos);
}

TEST_CASE("CuTe DSL's response takes the index of a failed request") {
  const Recorded run = run_recorded(recorded_text("cute"), 256, false, 0);
  CHECK(run.right());
  CHECK(run.reply["findings"].array().size() == 1);
  CHECK(run.reply["findings"].array().at(0)["name"].text() == "decode-of-failure");
}
