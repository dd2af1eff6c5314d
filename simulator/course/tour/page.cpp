#include "tour/page.h"

#include <cctype>
#include <filesystem>

#include "measure/files.h"
#include "player/page.h"
#include "report/palette.h"
#include "report/svg.h"
#include "tour/charts.h"
#include "tour/plot.h"

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
<title>Cluster Launch Control: the tour's measurements</title>
)html";

constexpr const char* kLayout = R"css(
body{margin:0 auto;max-width:1120px;padding:16px;font:16px/1.5 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
h1{font-size:1.6em;line-height:1.2}
h2{font-size:1.3em;margin:2em 0 .3em}
h3{font-size:1.1em;margin:1.8em 0 .3em}
p{margin:.4em 0;max-width:75ch}
nav ul{padding-left:20px;columns:2 260px;margin:.4em 0}
summary{cursor:pointer;padding:6px 0}
.wide{overflow-x:auto;margin:.6em 0}
.wide table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:15px}
.wide th,.wide td{padding:5px 10px;text-align:right;white-space:nowrap}
.wide th:first-child{text-align:left;position:sticky;left:0}
.machine th,.machine td,.wide.first td,.wide.first th{text-align:left}
.machine td{white-space:normal}
.charts{display:flex;flex-wrap:wrap;gap:10px 30px;margin:.6em 0}
.charts figure{flex:1 1 440px;max-width:530px;min-width:0;margin:0}
.charts svg{display:block;width:100%;height:auto}
figcaption{font-size:.95em;margin:.2em 0 .5em}
.player{margin:.6em 0}
.unmounted{min-height:460px}
@media (max-width:600px){body{padding:8px}.wide th,.wide td{padding:3px 5px;font-size:13px}.wide th:first-child{white-space:normal}.on tr>:nth-child(2){display:none}}
)css";

constexpr const char* kColours = R"css(
body{background:$page;color:$text}
a{color:$link}
.wide th,.wide td{border:1px solid $rule}
.wide th{background:$field}
.yes{color:$good;font-weight:600}
.no{color:$bad;font-weight:600}
.soft{color:$soft}
.player{border:1px solid $rule}
)css";

// Each player is made when the reader comes near it.
constexpr const char* kScript = R"js(
const mountIn = (place) => {
  const {textContent} = document.getElementById(place.dataset.record);
  place.replaceChildren();
  place.classList.remove('unmounted');
  clcPlayer.mount(place, JSON.parse(textContent), {level: 4, title: false, compact: true, cycles: 36000, theme: 'system'});
};
const near = new IntersectionObserver((entries) => {
  for (const {isIntersecting, target} of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    mountIn(target);
  }
}, {rootMargin: '600px'});
for (const place of document.querySelectorAll('.player')) near.observe(place);
)js";

std::string style() {
  const std::string colours = std::string(kColours) + kBarsStyle + kPlotStyle;
  return std::string("<style>") + kLayout + report::coloured(colours, false) +
         "@media (prefers-color-scheme:dark){" + report::coloured(colours, true) + "}\n" +
         player::player_style() + "</style>\n";
}

std::string figure(const std::string& caption, const std::string& svg) {
  return "<figure>" + svg +
         (caption.empty() ? "" : "<figcaption>" + escape(caption) + "</figcaption>") +
         "</figure>\n";
}

std::string sentence(std::string words) {
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words + ".";
}

std::string cells(const std::vector<std::string>& row, bool head) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (head || i == 0) {
      text +=
          std::string("<th scope=\"") + (head ? "col" : "row") + "\">" + escape(row[i]) + "</th>";
    } else if (row[i] == "yes" || row[i] == "no") {
      text += "<td class=\"" + row[i] + "\">" + (row[i] == "yes" ? "&#10003; yes" : "&#10007; no") +
              "</td>";
    } else {
      text += "<td>" + escape(row[i]) + "</td>";
    }
  }
  return text + "</tr>\n";
}

std::string table_text(const Table& table) {
  const bool on = table.rows[0][1] == "on";  // which GPU; a phone leaves it out
  std::string text = "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                     escape(table.title) + ", as a table\"><table" + (on ? " class=\"on\"" : "") +
                     ">\n<thead>";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    text += cells(table.rows[i], i == 0);
    if (i == 0) text += "</thead><tbody>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string section(const Table& table, const std::string& charts) {
  std::string text = "<h2 id=\"" + table.experiment + "\">" + escape(table.title) + "</h2>\n<p>" +
                     escape(table.what) + "</p>\n";
  if (!charts.empty()) text += "<div class=\"charts\">\n" + charts + "</div>\n";
  if (!table.reading.empty()) text += "<p>" + escape(table.reading) + "</p>\n";
  if (charts.empty()) return text + table_text(table);
  return text + "<details><summary>The numbers, as a table</summary>\n" + table_text(table) +
         "</details>\n";
}

// What a table of one size can't say.
constexpr const char* kTicksDiffer =
    "<p>On clcsim's mini clusters of 2 get a no for load balance, on its b200 a yes: <a "
    "href=\"../../simulator/course/tour/README.md\">simulator/course/tour/README.md</a> says "
    "why.</p>\n";

std::string measured(const PageParts& parts) {
  std::string text;
  for (const Table& table : parts.tables) {
    if (table.rows.size() < 2) continue;
    std::string charts;
    for (const BarChart& chart : charts_of(parts.results, table.experiment))
      charts += figure(sentence(chart.title), drawn(chart));
    text += section(table, charts);
    if (table.experiment == "ticks") text += kTicksDiffer;
  }
  std::string plots;
  for (const std::string& plot : scale_plots(parts.recorded)) plots += figure("", plot);
  return text + section(scale_table(parts.recorded), plots);
}

std::string readme(const std::string& chapter) {
  return "<a href=\"../../" + chapter + "/README.md\">" + chapter + "/README.md</a>";
}

/// A place for a player of each strategy, and the records that they show.
std::string players(const PageParts& parts, std::string& records) {
  const std::filesystem::path folder = parts.pictures;
  std::string text;
  for (const Strategy& strategy : strategies()) {
    const std::string file = strategy.name + ".html";
    if (!exists(folder / file)) continue;  // a chapter that this toolkit can't hold
    const std::string link = "<a href=\"" + folder.filename().string() + "/" + file + "\">";
    text += "<h3 id=\"run-" + strategy.name + "\">" + escape(strategy.title) + "</h3>\n<p>" +
            escape(strategy.sentence) + " Chapter: " + readme(strategy.chapter) + ". " + link +
            "This run on a page of its own</a>.</p>\n<div class=\"player unmounted\" "
            "data-record=\"record-" +
            strategy.name + "\"><p>The player of this run needs JavaScript.</p></div>\n";
    records += "<script type=\"application/json\" id=\"record-" + strategy.name + "\">" +
               player::record_of_page(measure::read_file((folder / file).string())) + "</script>\n";
  }
  return text;
}

constexpr const char* kNext = R"html(<h2 id="next">Where next</h2>
<ol>
<li>Predict: in <a href="#run-clc">the player of CLC above</a> choose <i>guess first</i> and step. Who gets the next block? Which
request is refused?</li>
<li>Read <a href="../../01_fixed_work/README.md">01_fixed_work/README.md</a>, the first chapter, and run what it says.</li>
<li>Which strategy to take when, and when CLC loses: <a href="../../simulator/course/tour/README.md">simulator/course/tour/README.md</a>.</li>
<li>Watch a run of your own: <code>build/bin/clcsim --timeline run.html build/bin/03_clc_basic</code>, then open run.html.</li>
</ol>
<p class="soft">Cycles are those of clcsim's clock, a teaching model: they predict no time of a Blackwell GPU.</p>
)html";

}  // namespace

std::string page(const PageParts& parts) {
  std::string text = kHead + style() + "</head>\n<body>\n" + report::coloured(kBarsPatterns, false);
  text += "<main>\n<h1>Cluster Launch Control: the tour's measurements</h1>\n";
  text +=
      "<p>Ways to launch the same work, y = ax in tiles. What the programming guide's "
      "table claims of overheads, load balance and preemption is measured here.</p>\n";
  text += "<div class=\"wide machine\"><table>\n";
  for (const auto& [what, which] : parts.machine) text += cells({what, which}, false);
  text += "</table></div>\n<nav aria-label=\"On this page\"><ul>\n";
  for (const Table& table : parts.tables)
    if (table.rows.size() > 1)
      text += "<li><a href=\"#" + table.experiment + "\">" + escape(table.title) + "</a></li>\n";
  text +=
      "<li><a href=\"#scale\">How the cost grows</a></li>\n<li><a href=\"#runs\">Who did what "
      "when: players</a></li>\n<li><a href=\"#next\">Where next</a></li>\n</ul></nav>\n";
  text += measured(parts);
  std::string records;
  text +=
      "<h2 id=\"runs\">Who did what when</h2>\n<p>One problem at one scale, simulated: 36 tiles, "
      "some of them "
      "long, on one SM with room for 8 blocks. Each row is such a place; a kernel of high "
      "priority, launched at "
      "the dashed line, has the colour of the text. Step through each run: every request, its "
      "answer, "
      "and the line of "
      "each warp are there.</p>\n";
  text += players(parts, records);
  text += kNext;
  return text + "</main>\n" + records + "<script>\n" + player::player_script() + kScript +
         "</script>\n</body>\n</html>\n";
}

}  // namespace clcsim::tour
