#include "tests/checks/run.h"

#include <algorithm>

#include "machine/tensor_map.h"
#include "ptx/source.h"
#include "report/resolved_finding.h"
#include "report/rules.h"

namespace clcsim::test {
namespace {

constexpr std::size_t kEnough = 300;  // findings

}  // namespace

std::vector<std::string> Result::names() const {
  std::vector<std::string> result;
  for (const machine::Finding& finding : findings) {
    std::string name(report::text_of(finding.rule).name);
    if (name.empty()) name = report::resolve(finding).what;
    if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
  }
  return result;
}

Result run_checked(const std::string& module, const LaunchShape& shape, std::uint64_t seed,
                   const std::string& kernel) {
  Result result;
  result.harness = std::make_shared<Harness>(module, seed);
  Harness& harness = *result.harness;
  checks::Checker checker(
      checks::Level::all, harness.gpu.memory(),
      [&](const machine::Finding& finding) { result.findings.push_back(finding); });
  harness.gpu.attach(&checker);
  const auto visits = harness.upload(std::vector<std::uint32_t>(128));
  if (harness.module.kernel(kernel)->parameters.size() == 1) {
    harness.launch(kernel, shape, visits);
  } else {  // a tensor map of them: kernels/tensor.txt
    machine::TensorMap map;
    const std::uint64_t sizes[] = {16, 8}, strides[] = {64};
    const std::uint32_t box[] = {16, 4}, steps[] = {1, 1};
    machine::encode_tiled(&map, {.type = 2,
                                 .rank = 2,
                                 .address = visits,
                                 .sizes = sizes,
                                 .strides = strides,
                                 .box = box,
                                 .steps = steps,
                                 .swizzle = 2});
    harness.launch(kernel, shape, visits, map);
  }
  harness.gpu.run_until([&] {
    return harness.pending == 0 || harness.gpu.now() > kLongEnough ||
           result.findings.size() > kEnough;
  });
  result.finished = harness.pending == 0;
  result.visits = harness.download<std::uint32_t>(visits);
  result.counts = harness.recorder.counts;
  return result;
}

Result run_on_buffer(const std::string& module, std::size_t words, std::size_t filled, bool freed) {
  Result result;
  result.harness = std::make_shared<Harness>(module);
  Harness& harness = *result.harness;
  checks::Checker checker(
      checks::Level::all, harness.gpu.memory(),
      [&](const machine::Finding& finding) { result.findings.push_back(finding); });
  harness.gpu.attach(&checker);
  const std::uint64_t data =
      harness.gpu.memory().allocate(words * 4, machine::Allocation::Kind::device)->address;
  harness.gpu.notify(machine::kMemory, [&](machine::Observer& observer) {
    observer.memory_filled(data, filled * 4);
  });
  if (freed) harness.gpu.memory().free(data);
  harness.launch("kernel", {.grid = {1, 1, 1}, .block = {32, 1, 1}}, data);
  harness.gpu.run_until([&] { return harness.pending == 0; });
  return result;
}

unsigned line_of(const machine::Finding& finding) {
  if (finding.at.program == nullptr) return 0;
  if (finding.at.location >= finding.at.program->locations.size()) return 0;
  return finding.at.program->locations[finding.at.location].line;
}

std::string text_of(const std::vector<machine::Finding>& findings) {
  std::string all;
  for (const machine::Finding& finding : findings) {
    const report::ResolvedFinding resolved = report::resolve(finding);
    std::string text =
        "[" + resolved.name + "] line " + std::to_string(line_of(finding)) + ": " + resolved.what;
    for (const report::ResolvedFinding::Detail& detail : resolved.details) {
      text += "; " + detail.label + ": " + detail.text;
    }
    text += "\n";
    if (all.find(text) == std::string::npos) all += text;
  }
  return all;
}

}  // namespace clcsim::test
