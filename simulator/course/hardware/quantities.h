// What the probes say, a quantity on each line, and what model.txt says of quantities.
#pragma once

#include <string>
#include <vector>

namespace clcsim::hardware {

/// A line "QUANTITY UNIT VALUE..."; of the unit `text` there is one value, a word.
struct Quantity {
  std::string name, unit;
  std::string word;            // of a text
  std::vector<double> values;  // of all others, sorted

  bool is_text() const { return unit == "text"; }
  /// Of an even number of values the lower one.
  double median() const { return values.at((values.size() - 1) / 2); }
};
/// In the order of the file, without comments and empty lines; of "like NAME" those of NAME.txt
/// beside it that the file doesn't give itself. Throws std::runtime_error.
std::vector<Quantity> read_quantities(const std::string& file);

/// A row of model.txt: "REGULAR EXPRESSION | MAY DIFFER BY | CONSTANT | MEANING".
struct ModelRow {
  std::string quantities, tolerance = "any", constant, meaning;
};
std::vector<ModelRow> read_model(const std::string& file);
/// The first row that fits, with a constant "\1" replaced; one that allows anything if none does.
ModelRow row_of(const std::vector<ModelRow>& model, const std::string& quantity);

}  // namespace clcsim::hardware
