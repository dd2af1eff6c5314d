#include "tour/page.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

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
<title>Cluster Launch Control: the tour's measurements</title>
<style>
:root{--back:#fff;--text:#1f2328;--soft:#59636e;--line:#d1d9e0;--head:#f6f8fa;--yes:#1a7f37;--no:#c1121f}
@media (prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--soft:#9198a1;--line:#30363d;--head:#151b23;--yes:#3fb950;--no:#ff6b6b}}
body{margin:0 auto;max-width:1080px;padding:16px;background:var(--back);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
h1{font-size:1.6em;line-height:1.2}
h2{font-size:1.25em;margin:2em 0 .3em}
h3{font-size:1em;margin:1.5em 0 .3em}
p{margin:.4em 0;max-width:75ch}
.wide{overflow-x:auto;margin:.6em 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:5px 10px;border:1px solid var(--line);text-align:right;white-space:nowrap}
th{background:var(--head);font-weight:600}
th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}
td:first-child{position:sticky;left:0;background:var(--back)}
.machine td{white-space:normal}
td.yes{color:var(--yes);font-weight:600}
td.no{color:var(--no);font-weight:600}
img{display:block;width:100%;min-width:640px}
@media (max-width:600px){body{padding:8px}th,td{padding:3px 5px;font-size:13px}th:nth-child(2),td:nth-child(2){display:none}.machine td:nth-child(2){display:table-cell}td:first-child,th:first-child{white-space:normal}}
.soft{color:var(--soft)}
</style>
</head>
<body>
)html";

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= bytes.size() - i ? kDigits[three >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("the picture '" + path + "' can't be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string drawn(const Table& table) {
  std::string text = "<h2>" + escape(table.title) + "</h2>\n<p>" + escape(table.what) + "</p>\n";
  text += "<div class=\"wide\"><table>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    text += "<tr>";
    for (const std::string& cell : table.rows[i]) {
      const std::string kind = cell == "yes" || cell == "no" ? " class=\"" + cell + "\"" : "";
      text +=
          i == 0 ? "<th>" + escape(cell) + "</th>" : "<td" + kind + ">" + escape(cell) + "</td>";
    }
    text += "</tr>\n";
  }
  text += "</table></div>\n";
  if (!table.reading.empty()) text += "<p>" + escape(table.reading) + "</p>\n";
  return text;
}

/// Beside the page, since a page with all players in it would be large.
std::string link_to_player(const PageParts& parts, const Strategy& strategy) {
  const std::filesystem::path folder = parts.pictures;
  const std::string file = strategy.name + ".html";
  if (!exists(folder / file)) return {};
  return " <a href=\"" + folder.filename().string() + "/" + file +
         "\">Step through this run</a>: each request, its answer, and the line of each warp.";
}

}  // namespace

std::string page(const PageParts& parts) {
  std::string text = kHead;
  text += "<h1>Cluster Launch Control: the tour's measurements</h1>\n";
  text +=
      "<p>Ways to launch the same work, y = ax in tiles. What the programming guide's "
      "table claims of overheads, load balance and preemption is measured here.</p>\n";
  text += "<div class=\"wide machine\"><table>\n";
  for (const auto& [what, which] : parts.machine)
    text += "<tr><td>" + escape(what) + "</td><td>" + escape(which) + "</td></tr>\n";
  text += "</table></div>\n";
  for (const Table& table : parts.tables)
    if (table.rows.size() > 1) text += drawn(table);

  text +=
      "<h2>Who did what when</h2>\n<p>One problem at one scale, simulated: 36 tiles, some of them "
      "long, on one SM with room for 8 blocks. Each row is such a place; black is a kernel of "
      "high priority, launched at the dashed line.</p>\n";
  for (const Strategy& strategy : strategies()) {
    const std::string file = parts.pictures + "/" + strategy.name + ".svg";
    if (!std::ifstream(file)) continue;  // a chapter that this toolkit can't hold
    text += "<h3>" + escape(strategy.title) + "</h3>\n<div class=\"wide\"><img alt=\"timeline of " +
            escape(strategy.title) + "\" src=\"data:image/svg+xml;base64," + base64(read(file)) +
            "\"></div>\n<p>" + escape(strategy.sentence) + link_to_player(parts, strategy) +
            "</p>\n";
  }
  text +=
      "<h2>Where next</h2>\n<p>Read the chapters in their order, predict, and run them: "
      "<a href=\"../../01_fixed_work/README.md\">01_fixed_work/README.md</a> is the first. Which "
      "strategy to take when: <a href=\"../../simulator/tour/README.md\">"
      "simulator/tour/README.md</a>.</p>\n";
  return text +
         "<p class=\"soft\">Cycles are those of clcsim's clock, a teaching model: they predict "
         "no time of a Blackwell GPU.</p>\n</body>\n</html>\n";
}

}  // namespace clcsim::tour
