// The command line that all chapters share: what it takes, and that it names what it doesn't take.
#include "options.h"

#include <doctest/doctest.h>

namespace {

using Arguments = std::vector<std::string>;

clc::Options chapter() {
  clc::Options options;
  options.chapter = "99_test";
  options.kernels = {"one", "two"};
  return options;
}

std::string mistake(const Arguments& arguments) {
  clc::Options options = chapter();
  return clc::parse(arguments, options);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("options") {
  TEST_CASE("every knob takes its lowest and its highest value, and nothing beyond") {
    for (const clc::Knob& knob : clc::knobs(chapter())) {
      CAPTURE(knob.name);
      clc::Options options = chapter();
      CHECK(clc::parse({knob.name, std::to_string(options.*knob.value)}, options).empty());
      CHECK(clc::parse({knob.name, std::to_string(knob.low)}, options).empty());
      CHECK(options.*knob.value == knob.low);
      CHECK(clc::parse({knob.name, std::to_string(knob.high)}, options).empty());
      CHECK(options.*knob.value == knob.high);
      CHECK_FALSE(mistake({knob.name, std::to_string(knob.low - knob.step)}).empty());
      CHECK_FALSE(mistake({knob.name, std::to_string(knob.high + knob.step)}).empty());
      if (knob.step > 1) CHECK_FALSE(mistake({knob.name, std::to_string(knob.low + 1)}).empty());
    }
  }

  TEST_CASE("--blocks is there for chapters that choose their grid, and for no others") {
    CHECK(contains(mistake({"--blocks", "8"}), "unknown option '--blocks'"));
    clc::Options options = chapter();
    options.blocks = 0;
    CHECK(contains(clc::described(options), "{\"name\":\"blocks\",\"default\":0,"));
    for (const std::string text : {"-1", "1000001", "1.5", "many", ""}) {
      CAPTURE(text);
      CHECK(clc::parse({"--blocks", text}, options) ==
            "--blocks can't be '" + text + "'; give a whole number from 0 to 1000000");
      options.blocks = 0;
    }
    CHECK(clc::parse({"--blocks", "340"}, options).empty());
    CHECK(options.blocks == 340);
  }

  TEST_CASE("a kernel that stands apart runs by its name alone") {
    clc::Options options = chapter();
    options.apart = {"three"};
    CHECK(options.wants("one"));
    CHECK_FALSE(options.wants("three"));
    CHECK(contains(clc::described(options), "\"kernels\":[\"one\",\"two\",\"three\"]"));
    CHECK(contains(clc::usage(options), "all, one, two, three (not in all)"));
    CHECK(clc::parse({"--kernel", "three"}, options).empty());
    CHECK(options.wants("three"));
    CHECK_FALSE(options.wants("one"));
  }

  TEST_CASE("what is no number is named together with what to give") {
    for (const std::string text :
         {"", "abc", "-5", "0", "1e6", "12 ", " 12", "1.5", "--json", "99999999999999999999999"}) {
      CAPTURE(text);
      const std::string sentence = mistake({"--elements", text});
      CHECK(contains(sentence, "--elements"));
      CHECK(contains(sentence, "'" + text + "'"));
      CHECK(contains(sentence, "give a whole number from 1 to 1099511627776"));
    }
    CHECK(contains(mistake({"--threads", "100"}), "give a multiple of 32 from 32 to 1024"));
    CHECK(contains(mistake({"--tile", "6"}), "give a multiple of 4 from 4 to"));
  }

  TEST_CASE("unknown options, lonely values and missing values") {
    CHECK(contains(mistake({"--frob"}), "'--frob'"));
    CHECK(contains(mistake({"--elements=5"}), "'--elements=5'"));
    CHECK(contains(mistake({"5"}), "'5'"));
    CHECK(contains(mistake({""}), "unknown option"));
    CHECK(contains(mistake({"--json", "--tile"}), "--tile needs a value"));
    CHECK(contains(mistake({"--kernel"}), "--kernel needs a value"));
    CHECK(contains(mistake({"--kernel", "three"}), "'three'"));
  }

  TEST_CASE("--help --json has kernels and options, with their defaults and limits") {
    const std::string text = clc::described(chapter());
    CHECK(contains(text, "\"kernels\":[\"one\",\"two\"]"));
    for (const clc::Knob& knob : clc::knobs(chapter()))
      CHECK(contains(text, "{\"name\":\"" + std::string(knob.name).substr(2) + '"'));
    CHECK(contains(text, "\"tile\",\"default\":1024,\"min\":4,\"max\":1073741824,\"step\":4,"));
  }

  TEST_CASE("the help names every option, its default and every exit code") {
    const std::string help = clc::usage(chapter());
    for (const clc::Knob& knob : clc::knobs(chapter())) CHECK(contains(help, knob.name));
    for (const char* part : {"--kernel", "all, one, two", "--json", "default 3000003", "0 pass",
                             "1 wrong result", "2 bad input", "4 nothing was stolen", "77 not run"})
      CHECK(contains(help, part));
  }
}
