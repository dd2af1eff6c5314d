// A page of the course, in Markdown, with the marks that say what its blocks show. A mark is a
// comment on a line of its own, after an empty line and directly before its block:
//
//     <!-- output of: build/bin/clcsim build/bin/01_fixed_work -->
//
// CONTRIBUTING.md lists the kinds.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace clcsim::pages {

using Lines = std::vector<std::string>;

/// What is wrong with a page, or with what it shows, in words.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Mark {
  std::size_t at = 0;          ///< its line, counted from 0
  std::string kind, argument;  ///< "output of" and the command
  std::string language;        ///< of the fence after it; empty where it is a table, or nothing yet
  std::size_t first = 0, end = 0;               ///< the block's lines
  bool empty() const { return end == at + 1; }  ///< not even a fence stands there
};

struct Page {
  std::string path;  ///< from the course's folder on
  Lines lines;
  std::vector<Mark> marks;
};

Lines lines_of(const std::string& text);
std::string text_of(const Lines& lines);
Lines read_lines(const std::string& path);

/// Throws Wrong, with the line, where a mark would end a paragraph, or a fence has no end.
Page read_page(const std::string& path);

/// Writes the page with other lines in that mark's block; marks before it stay valid.
void write_block(Page& page, const Mark& mark, const Lines& block);
void write_page(const Page& page);

}  // namespace clcsim::pages
