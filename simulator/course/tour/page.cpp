#include "tour/page.h"

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "measure/files.h"
#include "report/palette.h"
#include "report/svg.h"

namespace clcsim::tour {
namespace {

using report::svg::escape;

constexpr const char* kHead = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Cluster Launch Control: which strategy to take</title>
)html";

constexpr const char* kLayout = R"css(
body{margin:0 auto;max-width:832px;padding:16px;font:16px/1.6 Inter,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:36px;line-height:1.15;letter-spacing:-.015em}
h2{font-size:26px;line-height:1.25;margin:2em 0 .3em}
p,ol,ul{margin:.4em 0;max-width:640px}
img{display:block;max-width:100%;height:auto;margin:1em 0}
summary{cursor:pointer;padding:6px 0}
@property --fade{syntax:"<length>";inherits:false;initial-value:0px}
@keyframes fade{from,90%{--fade:40px}to{--fade:0px}}
.wide{overflow-x:auto;margin:.6em 0;mask-image:linear-gradient(to left,transparent,#000 var(--fade));animation:fade linear;animation-timeline:scroll(self inline)}
.wide table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:15px;line-height:1.45;min-width:min(100%,640px)}
.wide th,.wide td{padding:5px 10px;text-align:right;vertical-align:baseline}
.wide thead th{vertical-align:bottom}
.wide td,.wide tbody th{white-space:nowrap}
.wide th:first-child{text-align:left;position:sticky;left:0;padding-left:0}
.wide tbody th{font-weight:400}
.machine th,.machine td,.ticks th,.ticks td{text-align:left}
.machine td{white-space:normal}
@media print{:root{color-scheme:only light}.wide th,.wide td{white-space:normal;font-size:11px;padding:2px 4px}details::details-content{content-visibility:visible;block-size:auto}img,table,tr{break-inside:avoid}h2{break-after:avoid}.wide{overflow:visible;mask:none}body{max-width:none;padding:0}}
@media (max-width:600px){body{padding:16px}h1{font-size:28px}h2{font-size:22px}.wide th,.wide td{padding:3px 6px;font-size:13px}.wide tbody th:first-child{white-space:normal;min-width:6.5em}}
)css";

constexpr const char* kColours = R"css(
body{background:$page;color:$text}
a{color:$link}
.wide th,.wide td{border-bottom:1px solid $rule}
.wide th{background:$page}
.wide .clc>*{background:$field}
.yes{color:$good;font-weight:600}
.no,.soft{color:$soft}
)css";

std::string style() {
  return std::string("<style>") + kLayout + report::coloured(kColours, false) +
         "@media screen and (prefers-color-scheme:dark){" + report::coloured(kColours, true) +
         "}</style>\n";
}

std::string cells(const std::vector<std::string>& row, bool head) {
  std::string text =
      row[0] == "CLC" || row[0].starts_with("CLC, in all") ? "<tr class=\"clc\">" : "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (head || i == 0) {
      text +=
          std::string("<th scope=\"") + (head ? "col" : "row") + "\">" + escape(row[i]) + "</th>";
    } else if (row[i] == "yes" || row[i] == "no") {
      text += "<td class=\"" + row[i] + "\">" + (row[i] == "yes" ? "&#10003; yes" : "no") + "</td>";
    } else {
      text += "<td>" + escape(row[i]) + "</td>";
    }
  }
  return text + "</tr>\n";
}

std::string table_text(const Table& table) {
  const auto rows = rows_of_page(table);
  std::string text = "<div class=\"wide " + table.experiment +
                     "\" tabindex=\"0\" role=\"region\" aria-label=\"" + escape(table.title) +
                     ", as a table\"><table aria-labelledby=\"" + table.experiment + "\">\n<thead>";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += cells(rows[i], i == 0);
    if (i == 0) text += "</thead><tbody>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string section(const Table& table) {
  std::string text = "<h2 id=\"" + table.experiment + "\">" + escape(table.title) + "</h2>\n<p>" +
                     escape(table.what) + "</p>\n";
  if (!table.reading.empty()) text += "<p>" + escape(table.reading) + "</p>\n";
  return text + table_text(table);
}

bool is_empty(const Table& table) {
  return table.rows.size() < 2;
}

std::string as_address(const std::string& svg) {
  std::string text = "data:image/svg+xml,";
  for (const char c : svg) {
    char code[4];
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view(" -_.,:;/=()'").find(c) != std::string_view::npos;
    if (plain) {
      text += c;
    } else {
      std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(c));
      text += code;
    }
  }
  return text;
}

// A picture of the course, inside the page.
std::string picture(const std::string& file, const std::string& words) {
  return "<img alt=\"" + words + "\" src=\"" +
         as_address(measure::read_file(CLC_COURSE "/simulator/course/" + file)) + "\">\n";
}

std::string measured(const PageParts& parts) {
  std::string text;
  for (const Table& table : parts.tables) {
    // The ticks stand above, and the costs below, as they were recorded.
    if (is_empty(table) || table.experiment == "ticks" || table.experiment == "scale") continue;
    text += section(table);
  }
  return text + section(scale_table(parts.recorded));
}

constexpr const char* kTake =
    "<p>A rule of thumb, what others measured, and why clusters of 2 get a yes for load balance on "
    "clcsim's b200 and a no on its mini: <a href=\"../../simulator/course/tour/README.md\">"
    "simulator/course/tour/README.md</a>.</p>\n";

std::string ticks_section(const PageParts& parts) {
  for (const Table& table : parts.tables) {
    if (table.experiment != "ticks" || is_empty(table)) continue;
    const bool one = rows_of_page(table)[0].size() < table.rows[0].size();
    return section(table) +
           (one ? "<p>Measured on " + escape(table.rows[1][1]) + ", as the next three tables.</p>\n"
                : "") +
           kTake;
  }
  return "";
}

std::string readme(const std::string& chapter) {
  return "<a href=\"../../" + chapter + "/README.md\">" + chapter + "/README.md</a>";
}

// The strategies, each with its run on a page of its own.
std::string runs(const std::filesystem::path& folder) {
  std::string text;
  for (const Strategy& strategy : strategies()) {
    const std::string file = strategy.name + ".html";
    if (!exists(folder / file)) continue;  // a chapter that this toolkit can't hold
    text += "<li><a href=\"" + folder.filename().string() + "/" + file + "\">" +
            escape(strategy.title) + "</a>. " + escape(strategy.sentence) +
            " Chapter: " + readme(strategy.chapter) + ".</li>\n";
  }
  return "<ul>\n" + text + "</ul>\n";
}

constexpr const char* kNext = R"html(<h2 id="next">Where next</h2>
<ol>
<li>Predict: in the run of CLC <a href="#runs">above</a> choose <i>guess first</i> and step. Who gets the next block? Which
request is refused?</li>
<li>Read <a href="../../01_fixed_work/README.md">01_fixed_work/README.md</a>, the first chapter, and run what it says.</li>
<li>Watch a run of your own: <code>build/bin/clcsim --timeline run.html build/bin/03_clc_basic</code>, then open run.html.</li>
</ol>
<p class="soft">Cycles are those of clcsim's clock, a teaching model: they predict no time of a Blackwell GPU.</p>
)html";

}  // namespace

std::string page(const PageParts& parts) {
  std::string text = kHead + style() + "</head>\n<body>\n";
  text += "<main>\n<h1>Cluster Launch Control: which strategy to take</h1>\n";
  text += ticks_section(parts);
  text +=
      "<h2>Four ways to launch one problem</h2>\n<p>Simulated: 36 tiles, some of them long, on one "
      "SM with places for 8 blocks. In <a href=\"../../simulator/course/book/README.md\">the "
      "book</a> this picture plays, and you launch the urgent kernel.</p>\n" +
      picture("book/race/race.svg",
              "Fixed work, grid stride, tile queue and CLC: which slot ran which tile when");
  text += measured(parts);
  text +=
      "<h2 id=\"runs\">Who did what when</h2>\n<p>Step through a run of each strategy: every "
      "request, its answer, and the line of each warp are there.</p>\n";
  text += runs(parts.pictures);
  text += kNext;
  text +=
      "<h2 id=\"machine\">What it was measured on</h2>\n<div class=\"wide machine\"><table "
      "aria-labelledby=\"machine\">\n";
  for (const auto& [what, which] : parts.machine) text += cells({what, which}, false);
  text += "</table></div>\n";
  return text + "</main>\n</body>\n</html>\n";
}

}  // namespace clcsim::tour
