// json_fields [--each ARRAY] NAME...: picks members out of JSON for a script. Standard input is one
// object, or one on each line.
//
//   build/bin/05_ub_pitfalls --json | json_fields pitfall seed      no-expect-tx|0 and so on
//   json_fields --each findings name line <FILE                     a line for each element of an
//   array
//
// A line for each object, with a bar between its members. Of names with a slash between them the
// first that is there counts; what isn't there is empty.
#include <charconv>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <sstream>

#include "report/json_reader.h"

using clcsim::report::Json;
using clcsim::report::JsonError;

namespace {

std::string field(const Json& object, const std::string& names) {
  std::istringstream words(names);
  std::string name;
  while (std::getline(words, name, '/') && object[name].is_null()) continue;
  const Json& value = object[name];
  if (value.is_null() || value.is_text()) return value.text();
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value.number(0)).ptr};
}

void print(const Json& object, const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names) line += field(object, name) + "|";
  line.pop_back();
  std::puts(line.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> names(argv + 1, argv + argc);
  std::string array;
  if (names.size() > 1 && names[0] == "--each") {
    array = names[1];
    names.erase(names.begin(), names.begin() + 2);
  }
  if (names.empty()) throw std::invalid_argument("usage: json_fields [--each ARRAY] NAME... <FILE");
  std::vector<Json> objects;
  const std::string all{std::istreambuf_iterator<char>(std::cin), {}};
  try {
    objects.push_back(Json::parse(all));
  } catch (const JsonError&) {
    std::istringstream lines(all);
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) objects.push_back(Json::parse(line));
  }
  for (const Json& object : objects) {
    if (array.empty()) print(object, names);
    for (const Json& element : object[array].array()) print(element, names);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "json_fields: %s\n", error.what());
  return 2;
}
