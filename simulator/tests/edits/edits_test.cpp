#include "edits/edits.h"

#include <doctest/doctest.h>

#include <string>

using clcsim::edits::BadEdit;
using clcsim::edits::edited;
using clcsim::edits::read_variants;

namespace {

const std::string kSource = "a\n  b\nc\n  b\nd\n";

std::string after(const std::string& hunks) {
  return edited(read_variants("prose\n\n== name: WRONG\nwhy\n" + hunks).at(0), kSource);
}

}  // namespace

TEST_SUITE("edits") {
  TEST_CASE("lines go, come and stay") {
    CHECK(after("@@\n-c\n+e\n+f\n") == "a\n  b\ne\nf\n  b\nd\n");
    CHECK(after("@@\n a\n-  b\n@@\n+x\n d\n") == "a\nc\n  b\nx\nd\n");
  }

  TEST_CASE("three dots stand for all lines up to the next one given") {
    CHECK(after("@@\n a\n-...\n-  b\n+x\n") == "a\nx\nc\n  b\nd\n");
    CHECK(after("@@\n-a\n-...\n-d\n+x\n") == "x\n");
    CHECK_THROWS_AS(after("@@\n-a\n-...\n+x\n"), BadEdit);                  // no end
    CHECK_THROWS_AS(after("@@\n-...\n-a\n+x\n"), BadEdit);                  // no beginning
    CHECK_THROWS_AS(after("@@\n-  b\n-...\n-d\n+x\n"), BadEdit);            // two beginnings
    CHECK_THROWS_AS(after("@@\n-d\n-...\n-a\n+x\n"), BadEdit);              // not behind it
    CHECK_THROWS_AS(after("@@\n-c\n+e\n@@\n-a\n-...\n-d\n+x\n"), BadEdit);  // overlap
  }

  TEST_CASE("names and expectations") {
    const auto variants =
        read_variants("== one: WRONG, data-race\n@@\n-a\n\n== two: PASS*\n@@\n-c\n");
    REQUIRE(variants.size() == 2);
    CHECK(variants[0].name == "one");
    CHECK(variants[0].expected == "WRONG, data-race");
    CHECK(variants[1].edits[0].line == 6);
  }

  TEST_CASE("an edit whose text has gone, or stands twice, fails") {
    CHECK_THROWS_AS(after("@@\n-x\n"), BadEdit);
    CHECK_THROWS_AS(after("@@\n-  b\n"), BadEdit);
    CHECK_THROWS_AS(after("@@\n-b\n"), BadEdit);                    // whole lines only
    CHECK_THROWS_AS(after("@@\n a\n"), BadEdit);                    // changes nothing
    CHECK_THROWS_AS(after("@@\n+x\n"), BadEdit);                    // stands nowhere
    CHECK_THROWS_AS(after("@@\n-a\n+x\n@@\n a\n-  b\n"), BadEdit);  // overlap
  }

  TEST_CASE("a file that isn't one of variants fails") {
    CHECK_THROWS_AS(read_variants("== name\n@@\n-a\n"), BadEdit);
    CHECK_THROWS_AS(read_variants("== name: WRONG\n"), BadEdit);
    CHECK_THROWS_AS(read_variants("== name: WRONG\n\n== other: WRONG\n@@\n-a\n"), BadEdit);
    CHECK_THROWS_AS(read_variants("== n: WRONG\n@@\n-a\n\n== n: WRONG\n@@\n-c\n"), BadEdit);
    CHECK_THROWS_AS(read_variants("@@\n-a\n"), BadEdit);
    CHECK_THROWS_AS(read_variants("== name: WRONG\n@@\nx\n"), BadEdit);
  }
}
