// What is JSON is read, and what is none is refused.
#include "report/json_reader.h"

#include <doctest/doctest.h>

using clcsim::report::Json;
using clcsim::report::JsonError;

TEST_CASE("values of every kind are read") {
  const Json value = Json::parse(
      " {\"a\": [1, -2.5e3, true, null, \"\\\"\\n\\u00e9\\ud83d\\ude00\"], \"b\": {}} ");
  const Json::Array& array = value["a"].array();
  REQUIRE(array.size() == 5);
  CHECK(array[0].integer() == 1);
  CHECK(array[1].number(0) == -2500);
  CHECK(array[2].truth());
  CHECK(array[3].is_null());
  CHECK(array[4].text() == "\"\n\u00e9\U0001f600");
  CHECK(value["b"].object().empty());
  CHECK(value["none"]["deeper"].is_null());
  for (const char* text : {"-1", "0.5", "\"1\""})
    CHECK_THROWS_AS(Json::parse(text).integer(), JsonError);
}

TEST_CASE("what is no JSON is refused") {
  for (const char* text :
       {"", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "{\"a\":1,\"a\":2}", "1 2", "+1",
        "01", ".5", "1e", "nan", "\"a", "\"a\nb\"", "\"\\x\"", "\"\\u12\"", "tru"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Json::parse(text), JsonError);
  }
  CHECK_THROWS_AS(Json::parse(std::string(1000, '[')), JsonError);
}
