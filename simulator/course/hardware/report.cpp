// Puts what a GPU did beside what clcsim predicts.
//
//   hardware_report report MODEL OUT PREDICTIONS
//
// MODEL is model.txt. From the files of the folder OUT, which report.sh has written (machine: "KEY
// VALUE" on each line; and one for each probe), and from the quantities of the file PREDICTIONS
// come OUT/observed, OUT/report.md and OUT/report.json. Exit status 1: a probe has failed.
//
//   hardware_report pitfalls PROGRAM        the names of the pitfalls
//   hardware_report pitfall NAME COMMAND... runs a broken one, and prints what became of it
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "hardware/quantities.h"
#include "hardware/recorded.h"
#include "measure/files.h"
#include "report/json.h"

using namespace clcsim::hardware;
using clcsim::measure::lines_of, clcsim::measure::write_file;
using clcsim::report::json_string;

namespace {

std::string format(const char* how, double x) {
  char text[64];
  std::snprintf(text, sizeof text, how, x);
  return text;
}
bool whole(double x) {
  return x == std::trunc(x);
}
std::string number(double x) {
  return format(whole(x) || x > 1000 ? "%.0f" : "%.4g", x);
}
std::string exact(double x) {
  return format(whole(x) ? "%.0f" : "%.10g", x);
}
std::string shown(const Quantity& one) {
  return one.is_text() ? one.word : number(one.median());
}
std::string json(const Quantity& one) {
  return one.is_text() ? json_string(one.word) : exact(one.median());
}

// A quantity, and what is said of it.
struct Line {
  Quantity observed;
  std::optional<Quantity> predicted;
  ModelRow model;
  std::string differs;  // by how much, if it is more than the model allows

  std::string group() const { return observed.name.substr(0, observed.name.find('.')); }
};

std::string difference(const Line& line) {
  if (line.model.tolerance == "any" || !line.predicted) return "";
  if (line.observed.is_text()) return line.predicted->word == line.observed.word ? "" : "differs";
  const double predicted = line.predicted->median(), observed = line.observed.median();
  if (predicted == 0) return observed == 0 ? "" : "differs";
  const double by = 100 * (observed - predicted) / std::fabs(predicted);
  if (std::fabs(by) <= std::stod(line.model.tolerance)) return "";
  return format("%+.0f %%", by);
}

std::vector<Line> compare(const std::vector<ModelRow>& model, const std::vector<Quantity>& observed,
                          const std::vector<Quantity>& predicted) {
  std::vector<Line> lines;
  for (const Quantity& one : observed) {
    Line& line = lines.emplace_back(Line{one, {}, row_of(model, one.name), {}});
    for (const Quantity& each : predicted)
      if (each.name == one.name) line.predicted = each;
    line.differs = difference(line);
  }
  return lines;
}

using Machine = std::map<std::string, std::string>;

void write_page(std::ostream& out, Machine machine, const std::vector<Line>& lines,
                const std::vector<std::string>& not_run) {
  std::size_t compared = 0, different = 0;
  std::string suggestions, table, group;
  std::set<std::string> suggested;
  for (const Line& line : lines) {
    const Quantity& observed = line.observed;
    const std::string predicted = line.predicted ? shown(*line.predicted) : "";
    compared += line.predicted.has_value();
    different += !line.differs.empty();
    const std::string& constant = line.model.constant;
    if (!line.differs.empty() && !constant.empty() && suggested.insert(constant).second) {
      suggestions += "| `" + constant + "` | " + observed.name + ": " + predicted + " predicted, " +
                     shown(observed) + " observed (" + line.model.meaning + ") |\n";
    }
    if (line.group() != group) {
      group = line.group();
      table += "\n| " + group +
               " | unit | predicted | observed | low to high | values | differs by |\n"
               "|---|---|---:|---:|---:|---:|---|\n";
    }
    const bool text = observed.is_text();
    table +=
        "| " + observed.name.substr(std::min(group.size() + 1, observed.name.size())) + " | " +
        (text ? "" : observed.unit) + " | " + predicted + " | " + shown(observed) + " | " +
        (text ? "" : number(observed.values.front()) + " to " + number(observed.values.back())) +
        " | " + std::to_string(text ? 1 : observed.values.size()) + " | " +
        (line.differs.empty() ? "" : line.differs + ": " + constant) + " |\n";
  }
  out << "# " << machine["gpu"] << ", beside clcsim's prediction\n\nCompute capability "
      << machine["capability"] << ", driver " << machine["driver"] << ", CUDA "
      << machine["toolkit"] << ", " << machine["date"] << "; the course at " << machine["course"]
      << "; " << machine["system"] << "; the MPS daemon " << machine["mps"]
      << ". Predictions: clcsim " << machine["predictions"] << ".\n\n"
      << lines.size() << " quantities, " << compared << " of them with a prediction; " << different
      << " differ by more than the model allows (model.txt).\n";
  if (!suggestions.empty()) {
    out << "\n## What of clcsim's model would have to change\n\n| constant | because |\n|---|---|\n"
        << suggestions;
  }
  out << "\n## What was seen\n\nThe median of the values, and from which to which they go. Of many "
         "single events "
         "percentiles 5 to 95 are given.\n"
      << table;
  if (!not_run.empty()) out << "\n## What was not run\n\n";
  for (const std::string& each : not_run) {
    const std::size_t probe = each.find(' ') + 1, why = each.find(' ', probe);
    out << (each.starts_with("failed") ? "- **failed** " : "- ") << each.substr(probe, why - probe)
        << ": " << each.substr(why + 1) << '\n';
  }
}

void write_json(std::ostream& out, Machine machine, const std::vector<Line>& lines,
                const std::vector<std::string>& not_run) {
  out << "{\n";
  for (const char* key : {"gpu", "capability", "driver", "toolkit", "date", "course", "system",
                          "mps", "predictions"}) {
    out << ' ' << json_string(key) << ':' << json_string(machine[key]) << ",\n";
  }
  out << " \"quantities\":[";
  const char* before = "\n";
  for (const Line& line : lines) {
    const Quantity& observed = line.observed;
    out << before << "  {\"quantity\":" << json_string(observed.name)
        << ",\"unit\":" << json_string(observed.unit)
        << ",\"predicted\":" << (line.predicted ? json(*line.predicted) : "null")
        << ",\"observed\":" << json(observed);
    if (!observed.is_text()) {
      out << ",\"low\":" << exact(observed.values.front())
          << ",\"high\":" << exact(observed.values.back());
    }
    out << ",\"values\":" << (observed.is_text() ? 1 : observed.values.size())
        << ",\"differs\":" << (line.differs.empty() ? "false" : "true")
        << ",\"constant\":" << json_string(line.model.constant) << '}';
    before = ",\n";
  }
  out << "\n ],\n \"not_run\":[";
  before = "\n  ";
  for (const std::string& each : not_run) {
    out << before << json_string(each);
    before = ",\n  ";
  }
  out << "\n ]\n}\n";
}

int report(const std::string& model, const std::string& folder, const std::string& predictions) {
  const std::string out = folder + "/";
  Machine machine;
  for (const std::string& line : lines_of(out + "machine")) {
    const std::size_t space = line.find(' ');
    machine[line.substr(0, space)] = line.substr(space + 1);
  }
  std::string observed;
  for (const std::string& line : observed_in(folder)) observed += line + "\n";
  write_file(out + "observed", observed);
  const std::vector<std::string> not_run = not_run_in(folder);
  const std::vector<Line> lines =
      compare(read_model(model), read_quantities(out + "observed"), read_quantities(predictions));
  std::ostringstream page, json;
  write_page(page, machine, lines, not_run);
  write_json(json, machine, lines, not_run);
  write_file(out + "report.md", page.str());
  write_file(out + "report.json", json.str());
  return std::any_of(not_run.begin(), not_run.end(),
                     [](const std::string& line) { return line.starts_with("failed"); });
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string task = words.empty() ? "" : words[0];
  if (task == "report" && words.size() == 4) return report(words[1], words[2], words[3]);
  if (task == "pitfalls" && words.size() == 2) {
    for (const std::string& name : pitfalls_of(words[1])) std::cout << name << '\n';
    return 0;
  }
  if (task == "pitfall" && words.size() > 2) {
    std::cout << "pitfall." << words[1] << " text "
              << end_of_pitfall({words.begin() + 2, words.end()}) << '\n';
    return 0;
  }
  throw std::invalid_argument("usage: hardware_report report MODEL OUT PREDICTIONS");
} catch (const std::exception& error) {
  std::cerr << "hardware_report: " << error.what() << '\n';
  return 2;
}
