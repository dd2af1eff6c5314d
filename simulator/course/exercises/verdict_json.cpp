#include <utility>

#include "exercises/verdict.h"
#include "report/json.h"
#include "report/json_reader.h"

namespace clcsim::exercises {
namespace {

// Name and place of each text, so that what is written is what is read.
constexpr std::pair<const char*, std::string Verdict::*> kTexts[] = {
    {"exercise", &Verdict::exercise}, {"file", &Verdict::file},     {"verdict", &Verdict::words},
    {"more", &Verdict::more},         {"gpu", &Verdict::gpu},       {"seed", &Verdict::seed},
    {"finding", &Verdict::finding},   {"cause", &Verdict::cause},   {"failed", &Verdict::failed},
    {"reason", &Verdict::reason},     {"output", &Verdict::output}, {"report", &Verdict::report},
    {"notes", &Verdict::notes}};

}  // namespace

std::string to_json(const Verdict& verdict) {
  using report::json_string;
  std::string json = "{";
  for (const auto& [name, member] : kTexts)
    json += json_string(name) + ": " + json_string(verdict.*member) + ",\n ";
  json += "\"status\": " + std::to_string(verdict.status) +
          ",\n \"seeds\": " + std::to_string(verdict.seeds) +
          ",\n \"cycles\": " + std::to_string(verdict.cycles) +
          ",\n \"solution\": " + std::to_string(verdict.solution) +
          ",\n \"hints for\": " + json_string(verdict.hints.key) + ",\n \"hints\": [";
  for (const std::string& step : verdict.hints.steps)
    json += (&step == verdict.hints.steps.data() ? "" : ", ") + json_string(step);
  return json + "]}\n";
}

Verdict from_json(const std::string& text) {
  const report::Json json = report::Json::parse(text);
  Verdict verdict;
  for (const auto& [name, member] : kTexts) verdict.*member = json[name].text();
  verdict.status = static_cast<int>(json["status"].integer());
  verdict.seeds = static_cast<int>(json["seeds"].integer());
  verdict.cycles = json["cycles"].whole(0), verdict.solution = json["solution"].whole(0);
  verdict.hints.key = json["hints for"].text();
  for (const report::Json& step : json["hints"].array()) verdict.hints.steps.push_back(step.text());
  return verdict;
}

}  // namespace clcsim::exercises
