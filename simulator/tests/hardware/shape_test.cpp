// Recorded predictions and reports have all quantities, and model.txt knows each.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "config/profile_file.h"
#include "hardware/quantities.h"
#include "hardware/recorded.h"
#include "measure/files.h"
#include "report/json_reader.h"

using namespace clcsim;
using hardware::ModelRow;
using hardware::Quantity;
using Names = std::set<std::string>;

namespace {

const std::string kSimulator = CLC_SIMULATOR, kHardware = kSimulator + "course/hardware/";
const std::vector<ModelRow> kModel = hardware::read_model(kHardware + "model.txt");

Names predicted(const std::string& gpu) {
  Names names;
  for (const Quantity& one : hardware::read_quantities(kHardware + "predictions/" + gpu + ".txt")) {
    CAPTURE(one.name);
    CHECK(names.insert(one.name).second);
    CHECK_FALSE(hardware::row_of(kModel, one.name).quantities.empty());
  }
  CHECK(names.size() > 40);
  return names;
}

}  // namespace

TEST_CASE(
    "the GPUs differ in their largest cluster, and an H200 has no CLC; all else is the same") {
  Names b200 = predicted("b200"), rtx5090 = predicted("rtx5090");
  const Names h200 = predicted("h200");
  CHECK(std::includes(b200.begin(), b200.end(), h200.begin(), h200.end()));
  for (Names* names : {&b200, &rtx5090}) {
    std::erase_if(*names, [](const std::string& name) {
      return name.starts_with("clusters.16.") || name.starts_with("multicast.16.");
    });
  }
  CHECK(b200 == rtx5090);
}

TEST_CASE("a report from a GPU has a value beside each prediction of what that GPU can run") {
  std::size_t reports = 0;
  for (const auto& file : std::filesystem::directory_iterator(kHardware + "reports")) {
    ++reports;
    CAPTURE(file.path().string());
    Names missing = predicted(file.path().stem());
    std::string group;
    for (std::string line : measure::lines_of(file.path())) {
      CHECK_FALSE(line.starts_with("- **failed**"));
      if (!line.starts_with("| ")) continue;
      line.erase(0, 2);
      const std::string name = measure::take_cell(line);
      if (line.starts_with("unit |")) group = name;
      missing.erase(group + (name.empty() ? "" : ".") + name);
    }
    CHECK(missing == Names{});
  }
  CHECK(reports > 0);
}

TEST_CASE("each constant that model.txt names is a line of a profile, or a file") {
  std::string lines;
  for (const config::Profile& profile : config::profiles())
    lines += "\n" + config::to_text(profile);
  for (const ModelRow& row : kModel) {
    if (row.constant.empty() || row.constant == "\\1") continue;
    CAPTURE(row.constant);
    const bool file = row.constant.find('/') != std::string::npos;
    CHECK((file ? std::filesystem::exists(kSimulator + "clcsim/" + row.constant)
                : lines.find("\n" + row.constant + " ") != std::string::npos));
  }
}

TEST_CASE("of a recording the report shows ratios, one for each repetition") {
  const auto row = [](const std::string& experiment, const std::string& variant,
                      const std::string& strategy, const std::string& facts) {
    return R"({"experiment":")" + experiment + R"(","variant":")" + variant + R"(","strategy":")" +
           strategy + R"(",)" + facts + "}";
  };
  const std::vector<std::string> rows = {
      row("prologue", "500", "fixed", R"("milliseconds":2)"),
      row("prologue", "500", "stride", R"("milliseconds":1)"),
      row("prologue", "500", "fixed", R"("milliseconds":4)"),
      row("prologue", "500", "stride", R"("milliseconds":3)"),
      row("periodic", "uneven", "queue", R"("simulated":true,"cycles":90)"),
      row("periodic", "even", "queue", R"("simulated":true,"cycles":60)"),
      row("preemption", "even", "fixed", R"("milliseconds":8,"urgent_milliseconds":0.5)"),
      row("preemption", "even", "clc", R"("milliseconds":9,"urgent_milliseconds":2)"),
      row("bandwidth", "copy", "clc",
          R"("gigabytes_per_second":30,"copy_gigabytes_per_second":40)"),
      row("report", "counts", "clc", R"("blocks_started":1020,"steals":3076)")};
  std::string text = "{\"measurements\":[" + rows[0];
  for (std::size_t i = 1; i < rows.size(); ++i) text += "," + rows[i];
  const auto lines = hardware::quantities_of(measure::results_of(report::Json::parse(text + "]}")));
  CHECK(Names(lines.begin(), lines.end()) ==
        Names{"prologue.fixed.over-fixed ratio 1.000 1.000",
              "prologue.stride.over-fixed ratio 0.500 0.750",
              "periodic.queue.over-even ratio 1.500", "preemption.fixed.over-fixed ratio 1.000",
              "preemption.clc.over-fixed ratio 4.000", "bandwidth.clc.of-copy percent 75.00",
              "report.started blocks 1020", "report.stolen blocks 3076"});
}
