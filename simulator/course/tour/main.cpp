// What becomes of the recordings of clc_measure:
//   tour tables FILE...                              the tables, as text
//   tour table EXPERIMENT FILE...                    one of them, in Markdown
//   tour draw BIN FOLDER                             the strategies' timelines
//   tour shown BIN FOLDER                            and whether the chapters show them: exit
//                                                    status 1 if not
//   tour update BIN FOLDER                           and writes them there
//   tour cheap BIN                                   chapter 03's table: two cheap prologues
//   tour page PICTURES OUT FILE... [-- WHAT WHICH ...]   the page; lines about the machine
#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "measure/files.h"
#include "report/table.h"
#include "tour/page.h"
#include "tour/pictures.h"

namespace {

using namespace clcsim::tour;
using clcsim::measure::read_results, clcsim::measure::write_file;
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

int print_table(const std::string& experiment, const Results& results) {
  for (const Table& table : tables_of(results))
    if (table.experiment == experiment && table.rows.size() > 1)
      return std::fputs(markdown(table).c_str(), stdout) < 0;
  throw std::runtime_error("no results of " + experiment);
}

// Takes the words from "--" on away from the others.
Words take_rest(Words& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const Words rest(dashes == words.end() ? dashes : dashes + 1, words.end());
  words.erase(dashes, words.end());
  return rest;
}

int write_page(const Words& words) {
  PageParts parts{.pictures = words[0]};
  Words files(words.begin() + 2, words.end());
  const Words machine = take_rest(files);
  for (std::size_t i = 0; i + 1 < machine.size(); i += 2)
    parts.machine.push_back({machine[i], machine[i + 1]});
  parts.tables = tables_of(read_results(files));
  const std::string here = CLC_COURSE "/simulator/course/measure/recordings/";
  parts.recorded = read_results({here + "clcsim-b200.rec", here + "h200.rec"});
  write_file(words[1], page(parts));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  const Words words(argv + std::min(argc, 2), argv + argc);
  try {
    if (task == "tables" && !words.empty()) return print_tables(read_results(words));
    if (task == "table" && words.size() >= 2)
      return print_table(words[0], read_results({words.begin() + 1, words.end()}));
    if (task == "cheap" && words.size() == 1) {
      std::fputs(cheap_table(words[0]).c_str(), stdout);
      return 0;
    }
    if ((task == "draw" || task == "shown" || task == "update") && words.size() == 2) {
      draw_pictures(words[0], words[1]);
      if (task == "draw") return 0;
      return pictures_are_shown(words[1], task == "update") ? 0 : 1;
    }
    if (task == "page" && words.size() >= 3) return write_page(words);
    std::fputs(
        "usage: tour tables FILE... | table EXPERIMENT FILE... |\n"
        "       cheap BIN | draw|shown|update BIN FOLDER |\n"
        "       page PICTURES OUT FILE... [-- WHAT WHICH ...]\n",
        stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tour: %s\n", error.what());
  }
  return 2;
}
