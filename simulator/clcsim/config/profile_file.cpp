#include "config/profile_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <type_traits>
#include <vector>

namespace clcsim::config {
namespace {

/// Calls visit(key, member, lowest, highest) for each number of a profile, in the order of the
/// file.
template <class AnyProfile, class Visit>
void each_number(AnyProfile& p, Visit visit) {
  visit("major", p.major, 7, 99);
  visit("minor", p.minor, 0, 9);
  visit("sms", p.sms, 1, 1024);
  visit("threads_per_sm", p.threads_per_sm, 32, 4096);
  visit("blocks_per_sm", p.blocks_per_sm, 1, 128);
  visit("shared_per_sm", p.shared_per_sm, kSharedPerBlock + kSharedReserved, 1 << 20);
  visit("shared_per_block_optin", p.shared_per_block_optin, kSharedPerBlock, 1 << 20);
  visit("max_cluster", p.max_cluster, 1, 32);
  visit("clock_khz", p.clock_khz, 1000, 10'000'000);
  visit("memory_bytes", p.memory_bytes, 1 << 20, std::uint64_t{1} << 44);
  visit("memory_latency", p.memory_latency, 1, 1'000'000);
  visit("memory_bytes_per_cycle", p.memory_bytes_per_cycle, 1, 1'000'000);
  visit("fp64_issue", p.fp64_issue, 1, 1024);
  visit("block_launch", p.block_launch, 0, 1'000'000);
  visit("block_interval", p.block_interval, 0, 1'000'000);
  visit("request_latency", p.request_latency, 2, 1'000'000);
}

/// Reads the whole of `word`, or returns false.
template <class T>
bool parse_number(const std::string& word, T& number) {
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && stop == end;
}

class Reader {
 public:
  explicit Reader(std::string origin) : origin_(std::move(origin)) {
    each_number(profile_, [&](const char* key, auto, auto, auto) { open_.insert(key); });
  }

  Profile read(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      std::istringstream rest(line.substr(0, line.find('#')));
      std::vector<std::string> words;
      for (std::string word; rest >> word;) words.push_back(word);
      if (words.empty()) continue;
      const std::string key = words.front();
      words.erase(words.begin());
      if (!seen_.insert(key).second) refuse("'" + key + "' stands there a second time");
      take(key, words);
    }
    line_ = 0;
    check_whole();
    return profile_;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw ProfileError(origin_ + (line_ == 0 ? "" : ":" + std::to_string(line_)) + ": " + why);
  }

  void take(const std::string& key, const std::vector<std::string>& words) {
    if (key == "gpc_sms") return take_gpcs(words);
    if (words.size() != 1)
      refuse("'" + key + "' needs one value, and has " + std::to_string(words.size()));
    const std::string& word = words.front();
    if (key == "name") {
      const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_';
      });
      if (!plain || word.size() > 60) refuse("a name has up to 60 letters, digits, '-' and '_'");
      profile_.name = word;
    } else if (key == "like") {
      const std::optional<Profile> other =
          is_profile_file(word) ? std::nullopt : find_profile(word);
      if (!other) refuse("there is no GPU '" + word + "'; clcsim --list-gpus names them");
      if (seen_.size() > 1) refuse("'like' must be the first line");
      profile_ = *other;
      profile_.name = "own";
      profile_.description = "as a file describes it";
      open_.clear();
    } else {
      take_number(key, word);
    }
  }

  void take_gpcs(const std::vector<std::string>& words) {
    profile_.gpc_sms.clear();
    for (const std::string& word : words) {
      int sms = 0;
      if (!parse_number(word, sms) || sms < 1 || sms > 1024)
        refuse("'gpc_sms' needs whole numbers from 1 to 1024, not '" + word + "'");
      profile_.gpc_sms.push_back(sms);
    }
  }

  void take_number(const std::string& key, const std::string& word) {
    bool known = false;
    each_number(profile_, [&](const char* name, auto& member, auto lowest, auto highest) {
      if (key != name) return;
      known = true;
      const auto low = static_cast<std::uint64_t>(lowest);
      const auto high = static_cast<std::uint64_t>(highest);
      std::uint64_t number = 0;
      if (!parse_number(word, number) || number < low || number > high)
        refuse("'" + key + "' can't be '" + word + "'; give a whole number from " +
               std::to_string(low) + " to " + std::to_string(high));
      member = static_cast<std::remove_reference_t<decltype(member)>>(number);
    });
    if (!known) refuse("a GPU has no '" + key + "'; clcsim --show-gpu b200 prints what it has");
    open_.erase(key);
  }

  /// What no single line can tell.
  void check_whole() const {
    if (!open_.empty())
      refuse("a line for '" + *open_.begin() +
             "' is missing; `like b200` as the first line gives all of them");
    const int needed = profile_.shared_per_block_optin + kSharedReserved;
    if (needed > profile_.shared_per_sm)
      refuse("shared_per_sm must be at least " + std::to_string(needed) +
             ", that is shared_per_block_optin and " + std::to_string(kSharedReserved) + " more");
    const std::vector<int>& gpcs = profile_.gpc_sms;
    if (!gpcs.empty() && std::accumulate(gpcs.begin(), gpcs.end(), 0) != profile_.sms)
      refuse("the numbers of gpc_sms must add up to sms, " + std::to_string(profile_.sms));
  }

  std::string origin_;
  int line_ = 0;  // 0: what is wrong is in no single line
  Profile profile_{.name = "own", .description = "as a file describes it"};
  std::set<std::string> seen_;  // keys
  std::set<std::string> open_;  // keys that have no value yet
};

}  // namespace

bool is_profile_file(std::string_view name) {
  return name.find_first_of("/.") != std::string_view::npos;
}

Profile parse_profile(const std::string& text, const std::string& origin) {
  return Reader(origin).read(text);
}

Profile read_profile_file(const std::string& path) {
  constexpr std::uintmax_t kLongest = 1 << 16;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw ProfileError("there is no file " + path + " that could describe a GPU");
  if (std::filesystem::file_size(path, error) > kLongest)
    throw ProfileError(path + " is too long to describe a GPU");
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw ProfileError(path + " can't be read");
  return parse_profile(text.str(), path);
}

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).string();
}

std::string to_text(const Profile& profile) {
  std::string text;
  for (const char c : profile.name) text += c == ':' ? '-' : c;
  text = "name " + text + "\n";
  each_number(profile, [&](const char* key, auto value, auto, auto) {
    text += std::string(key) + " " + std::to_string(value) + "\n";
  });
  if (profile.gpc_sms.empty()) return text;
  text += "gpc_sms";
  for (const int sms : profile.gpc_sms) text += " " + std::to_string(sms);
  return text + "\n";
}

}  // namespace clcsim::config
