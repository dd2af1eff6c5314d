#include "config/options.h"

#include <doctest/doctest.h>

#include <map>

using namespace clcsim::config;

namespace {

CommandLine read(const std::vector<std::string>& arguments) {
  return read_command_line(arguments, Options{});
}

Options read_variables(const std::map<std::string, std::string>& environment) {
  return read_environment([&](const char* name) {
    const auto entry = environment.find(name);
    return entry == environment.end() ? nullptr : entry->second.c_str();
  });
}

}  // namespace

TEST_SUITE("options") {
  TEST_CASE("a value may be attached, and may contain '='") {
    CHECK(read({"--gpu=b200", "x"}).options.gpu == "b200");
    CHECK(read({"--check-json=a=b", "x"}).options.check_json == "a=b");
  }

  TEST_CASE("every seed of 64 bits") {
    CHECK(read({"--seed", "18446744073709551615"}).options.seed == ~std::uint64_t{0});
    CHECK_THROWS_AS(read({"--seed", "18446744073709551616"}), OptionError);
    for (const char* wrong : {"", " 1", "1 ", "+1", "-1", "0x10", "1.0", "one"}) {
      CHECK_THROWS_AS(read({"--seed", wrong}), OptionError);
    }
  }

  TEST_CASE("the environment is read as the command line is") {
    const Options options = read_variables({{"CLCSIM_GPU", "h200"},
                                            {"CLCSIM_SEED", "5"},
                                            {"CLCSIM_REFUSE", "3"},
                                            {"CLCSIM_GRANTS", "increasing"},
                                            {"CLCSIM_CHECK", "memory"},
                                            {"CLCSIM_STATS", "1"},
                                            {"CLCSIM_CHECK_JSON", "f"}});
    CHECK(options == Options{.gpu = "h200",
                             .seed = 5,
                             .refuse = 3,
                             .grants_increase = true,
                             .check = Check::memory,
                             .check_json = "f",
                             .stats = true});
    CHECK(read_variables({{"CLCSIM_SEED", ""}}) == Options{});
    CHECK_THROWS_WITH_AS(read_variables({{"CLCSIM_SEED", "x"}}),
                         "CLCSIM_SEED can't be 'x'; give a whole number from 0 to 2^64 - 1",
                         OptionError);
    CHECK_THROWS_AS(read_variables({{"CLCSIM_STATS", "yes"}}), OptionError);
  }

  TEST_CASE("what the launcher hands on is what the library reads") {
    for (const Options& options :
         {Options{}, Options{.gpu = "rtx5090", .seed = 9, .check = Check::off, .stats = true},
          Options{.check = Check::memory, .check_json = "a b.json"},
          Options{.refuse = 7, .grants_increase = true},
          Options{.ignore = "deadlock,trap@a b.cu:3", .ignore_file = "a list"},
          Options{.limit_cycles = 12, .limit_seconds = 3}}) {
      std::map<std::string, std::string> environment;
      for (const auto& [name, value] : to_environment(options)) environment[name] = value;
      CHECK(read_variables(environment) == options);
    }
  }

  TEST_CASE("what repeats a run") {
    CHECK(to_repeat(Options{.check = Check::off, .stats = true}).empty());
    CHECK(to_repeat({.gpu = "b200", .seed = 3, .refuse = 7, .grants_increase = true}) ==
          " --gpu b200 --seed 3 --refuse 7 --grants increasing");
  }
}
