// GPUs described in a file: what is read is what was written, and each bad line gets one sentence.
#include <doctest/doctest.h>

#include <string>

#include "config/profile_file.h"

using namespace clcsim::config;

namespace {

std::string refusal(const std::string& text) {
  try {
    parse_profile(text, "my.gpu");
  } catch (const ProfileError& error) {
    return error.what();
  }
  return "";
}

bool refuses(const std::string& text, const std::string& with) {
  const std::string sentence = refusal(text);
  INFO(sentence);
  CHECK(sentence.find(with) != std::string::npos);
  return sentence.find('\n') == std::string::npos;
}

}  // namespace

TEST_SUITE("profile") {
  TEST_CASE("a GPU that is printed and read is the same") {
    for (const Profile& profile : profiles()) {
      const std::string text = to_text(profile);
      CHECK(to_text(parse_profile(text, "")) == text);
    }
  }

  TEST_CASE("a file changes what it names, and takes the rest from another GPU") {
    const Profile own = parse_profile(
        "# mine\nlike b200\n\nname my-gpu\nsms 160  # of 192\nrequest_latency 1500\n", "");
    CHECK(own.name == "my-gpu");
    CHECK(own.sms == 160);
    CHECK(own.request_latency == 1500);
    CHECK(own.threads_per_sm == 2048);
    CHECK(parse_profile("like h200\nsms 4\ngpc_sms 2 2\n", "").gpc_sms.size() == 2);
  }

  TEST_CASE("each bad line is named, with what is wrong") {
    CHECK(refuses("like b200\nsmz 3\n", "my.gpu:2: a GPU has no 'smz'"));
    CHECK(refuses("like b200\nsms\n", "my.gpu:2: 'sms' needs one value, and has 0"));
    CHECK(refuses("like b200\nsms 3 4\n", "my.gpu:2: 'sms' needs one value, and has 2"));
    CHECK(refuses("like b200\nsms 0\n",
                  "my.gpu:2: 'sms' can't be '0'; give a whole number from 1 to 1024"));
    CHECK(refuses("like b200\nsms 1e3\n", "'1e3'"));
    CHECK(refuses("like b200\nsms -1\n", "'-1'"));
    CHECK(refuses("like b200\nsms 5\nsms 5\n", "my.gpu:3: 'sms' stands there a second time"));
    CHECK(refuses("like gtx\n", "my.gpu:1: there is no GPU 'gtx'"));
    CHECK(refuses("like ./other.gpu\n", "there is no GPU"));
    CHECK(refuses("sms 5\nlike b200\n", "'like' must be the first line"));
    CHECK(refuses("like b200\nname a/b\n", "my.gpu:2: a name has"));
    CHECK(refuses("sms 5\n", "my.gpu: a line for 'block_interval' is missing"));
    CHECK(refuses("", "is missing"));
    CHECK(refuses("like h200\nsms 5\n", "must add up to sms, 5"));
    CHECK(refuses("like h200\ngpc_sms 132 x\n", "not 'x'"));
    CHECK(refuses("like b200\nshared_per_sm 60000\n", "shared_per_sm must be at least 233472"));
  }

  TEST_CASE("a file that can't be read") {
    CHECK_THROWS_AS(read_profile_file("/nowhere/my.gpu"), ProfileError);
    CHECK_THROWS_AS(read_profile_file("/dev/zero"), ProfileError);
    CHECK(is_profile_file("my.gpu"));
    CHECK_FALSE(is_profile_file("b200:16"));
  }
}
