// What becomes of the lines that measure.sh prints:
//   tour tables FILE...                              the tables, as text
//   tour check FILE...                               what must hold; exit status 1 if it doesn't
//   tour page PICTURES OUT FILE... [-- WHAT WHICH ...]   the page; lines about the machine
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "report/table.h"
#include "tour/page.h"
#include "tour/plot.h"

namespace {

using namespace clcsim::tour;
using Words = std::vector<std::string>;

int print_tables(const Results& results) {
  for (const Table& table : tables_of(results)) {
    if (table.rows.size() < 2) continue;  // nothing was measured
    std::printf("\n%s. %s\n%s%s%s", table.title.c_str(), table.what.c_str(),
                clcsim::report::table(table.rows, 2).c_str(), table.reading.c_str(),
                table.reading.empty() ? "" : "\n");
  }
  return 0;
}

int check(const Results& results) {
  bool good = true;
  for (const std::string& sentence : relations(results)) {
    std::puts(sentence.c_str());
    good &= sentence.starts_with("ok");
  }
  return good ? 0 : 1;
}

void write(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("'" + file + "' can't be written");
}

int write_page(const Words& words) {
  PageParts parts{.pictures = words[0]};
  Words files;
  std::size_t i = 2;
  for (; i < words.size() && words[i] != "--"; ++i) files.push_back(words[i]);
  for (++i; i + 1 < words.size(); i += 2) parts.machine.push_back({words[i], words[i + 1]});
  parts.tables = tables_of(read_results(files));
  write(words[1], page(parts));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  const Words words(argv + std::min(argc, 2), argv + argc);
  try {
    if (task == "tables" && !words.empty()) return print_tables(read_results(words));
    if (task == "check" && !words.empty()) return check(read_results(words));
    if (task == "page" && words.size() >= 3) return write_page(words);
    if (task == "plot" && words.size() >= 2) {
      write(words[0], scale_plot(read_results({words.begin() + 1, words.end()})));
      return 0;
    }
    std::fputs(
        "usage: tour tables FILE... | check FILE... | plot OUT FILE... |\n"
        "       page PICTURES OUT FILE... [-- WHAT WHICH ...]\n",
        stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tour: %s\n", error.what());
  }
  return 2;
}
