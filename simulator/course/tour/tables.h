// The tables that close the tour: what the programming guide ticks, measured.
#pragma once

#include "tour/derived.h"

namespace clcsim::tour {

struct Table {
  std::string title;
  std::string experiment;                      // that it shows, or empty: of several
  std::string what;                            // was measured, a sentence or two
  std::vector<std::vector<std::string>> rows;  // the first one is the heading
  std::string reading;                         // what the numbers show
};

/// How the cost grows with tiles, and on clcsim with SMs.
Table scale_table(const Results& results);

/// Overheads, load balance, preemption, and what follows from them. Strategies without results are
/// left out.
std::vector<Table> tables_of(const Results& results);

/// The rows as a page shows them. Where one GPU ran all of them, their column is left out, and each
/// column's unit stands in its head, as does the number of tiles, if it is one.
std::vector<std::vector<std::string>> rows_of_page(const Table& table);

/// The same in Markdown.
std::string markdown(const Table& table);

/// What must hold on clcsim, each as a sentence that begins with "ok" or "FAILED".
std::vector<std::string> relations(const Results& results);

}  // namespace clcsim::tour
