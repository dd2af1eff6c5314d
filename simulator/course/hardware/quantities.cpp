#include "hardware/quantities.h"

#include <regex.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "measure/files.h"

namespace clcsim::hardware {
namespace {

bool matches(const std::string& text, const std::string& pattern) {
  regex_t compiled;
  if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    throw std::runtime_error("no regular expression: " + pattern);
  const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return found;
}

}  // namespace

std::vector<Quantity> read_quantities(const std::string& file) {
  std::vector<Quantity> all, others;
  for (const std::string& line : measure::lines_of(file)) {
    if (line.starts_with("like ")) {
      others = read_quantities(file.substr(0, file.rfind('/') + 1) + line.substr(5) + ".txt");
      continue;
    }
    Quantity& one = all.emplace_back();
    std::istringstream words(line);
    words >> one.name >> one.unit;
    if (one.is_text()) {
      words >> one.word;
      continue;
    }
    for (std::string word; words >> word;) {
      char* end = nullptr;
      one.values.push_back(std::strtod(word.c_str(), &end));
      if (*end != '\0')
        throw std::runtime_error(file + " has no number where it says " + word + ": " + line);
    }
    if (one.values.empty()) one.unit = "text", one.word = "none";  // it happened to nobody
    std::sort(one.values.begin(), one.values.end());
  }
  const std::size_t own = all.size();
  std::copy_if(others.begin(), others.end(), std::back_inserter(all), [&](const Quantity& other) {
    return std::none_of(all.begin(), all.begin() + own,
                        [&](const Quantity& one) { return one.name == other.name; });
  });
  return all;
}

std::vector<ModelRow> read_model(const std::string& file) {
  std::vector<ModelRow> rows;
  for (std::string line : measure::lines_of(file)) {
    ModelRow& row = rows.emplace_back();
    for (std::string* cell : {&row.quantities, &row.tolerance, &row.constant, &row.meaning})
      *cell = measure::take_cell(line);
  }
  return rows;
}

ModelRow row_of(const std::vector<ModelRow>& model, const std::string& quantity) {
  for (ModelRow row : model) {
    if (!matches(quantity, "^(" + row.quantities + ")")) continue;
    if (row.constant == "\\1") row.constant = quantity.substr(quantity.find('.') + 1);
    return row;
  }
  return {};
}

}  // namespace clcsim::hardware
