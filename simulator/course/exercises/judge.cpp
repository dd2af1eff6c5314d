// The judging side of a check: reads the account that the simulated GPU has kept, step by step, as
// the check goes.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "cudart/seal.h"
#include "performer.h"

namespace clc {
namespace {

namespace account = clcsim::cudart;

struct Record {
  account::Record kind;
  std::string data;
};

// The check is over: its rest can't say more. What ends it counts more than what differed before.
struct Over {
  int code;
};

struct Judge {
  std::vector<Record> records;
  std::size_t next = 0;
  std::vector<Launched> launches;  // since the last run began
  bool running = false;            // between begin_run() and end_run()
  bool predicted = false;          // what follows may be the answer
  int resident = 0;
  Judged judged;
};
Judge now;

// Up to the first that clcsim has not written.
std::vector<Record> read_records(const std::string& bytes, const account::Key& key) {
  std::vector<Record> records;
  account::RecordHead head;
  for (std::size_t at = 0; bytes.size() - at >= sizeof head;) {
    std::memcpy(&head, bytes.data() + at, sizeof head);
    at += sizeof head;
    if (head.bytes > bytes.size() - at) break;
    if (head.seal !=
        account::sealed(key, records.size(), head.kind, bytes.data() + at, head.bytes).seal)
      break;
    records.push_back({head.kind, bytes.substr(at, head.bytes)});
    at += head.bytes;
  }
  return records;
}

void differs(const char* what) {
  if (now.judged.failed.empty()) now.judged.failed = what;
}

[[noreturn]] void end_judging(ExitCode code, const char* what, const char* sentence) {
  print("  %s\n", sentence);
  now.judged.failed = what;
  throw Over{code};
}

[[noreturn]] void end_changed() {
  end_judging(kWrong, "check changed",
              "the check was not performed as it stands in the exercise's check.h   <--");
}

const char* mark(bool right) {
  return right ? "" : "   <--";
}

bool is_next(account::Record kind) {
  return now.next < now.records.size() && now.records[now.next].kind == kind;
}

template <class T>
bool read_from(const std::string& data, std::size_t& at, T& value) {
  if (data.size() - at < sizeof value) return false;
  std::memcpy(&value, data.data() + at, sizeof value);
  at += sizeof value;
  return true;
}

// At most so many: all that is left.
template <class T>
void read_from(const std::string& data, std::size_t& at, std::vector<T>& values,
               std::size_t most = -1) {
  for (T value; values.size() < most && read_from(data, at, value);) values.push_back(value);
}

Launched read_launch(const std::string& data) {
  Launched launched = {};
  std::size_t at = 0;
  read_from(data, at, static_cast<account::LaunchWork&>(launched));
  read_from(data, at, launched.runner, launched.blocks);
  read_from(data, at, launched.drawer, launched.draws);
  read_from(data, at, launched.work);
  if (launched.fence_halves == 1 || launched.fence_halves == 2) now.judged.half_a_fence = true;
  return launched;
}

// What has run stands between the other records, where it has ended.
const std::string& take(account::Record kind) {
  while (is_next(account::Record::launch))
    now.launches.push_back(read_launch(now.records[now.next++].data));
  if (now.next == now.records.size())
    end_judging(kWrong, "ended", "your code has ended the program before the check was done   <--");
  if (!is_next(kind)) end_changed();
  return now.records[now.next++].data;
}

// "failed launch cudaErrorX (sentence)"
void look_for_failure(const std::string& note) {
  for (const auto& [start, key, words] :
       {std::tuple{"failed launch ", "launch failed", "a call in launch() failed: "},
        std::tuple{"failed kernel ", "kernel failed", "your kernel failed: "}}) {
    if (note.starts_with(start))
      end_judging(kBadInput, key, (words + note.substr(std::strlen(start))).c_str());
  }
}

// Returns the rest of a note that begins so.
std::string take_note(const std::string& start) {
  const std::string& note = take(account::Record::note);
  look_for_failure(note);
  if (!note.starts_with(start)) end_changed();
  return note.substr(start.size());
}

// The check launches kernels in its runs; the student's code, nowhere else.
void nothing_ran_between_runs() {
  if (now.running || now.launches.empty()) return;
  end_judging(kWrong, "ran before the check",
              "your code has launched a kernel before the check asked for it   <--");
}

std::string by(int x, int y, int z) {
  return std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z);
}

// What must stay has changed.
void changed(const char* what, const std::string& sentence) {
  print("  %s   <--\n", sentence.c_str());
  differs(what);
}

void show_first_difference(const Counted& counted, float alpha, const Audit& audit) {
  const Problem& problem = counted.problem;
  const long long first = audit.first_bad_tile * problem.tile;
  const long long end = std::min(first + problem.tile, problem.elements);
  print("  of %d tiles with %d elements (%lld in the last one),\n", problem.tiles, problem.tile,
        problem.elements - static_cast<long long>(problem.tiles - 1) * problem.tile);
  print("  tile %lld, elements %lld to %lld, is the first that differs:\n", audit.first_bad_tile,
        first, end - 1);
  print("  %10s %16s %16s\n", "element", "yours", "expected");
  int shown = 0;
  for (long long i = first; i < end && shown < 4; ++i) {
    const float y = counted.y[i].value, x = x_of(i), expected = alpha * x;
    if (y == expected) continue;
    const char* looks = y == x ? "not done" : y == alpha * expected ? "done twice" : "";
    print("  %10lld %16g %16g   %s\n", i, y, expected, looks);
    ++shown;
  }
  print("  in all: %lld elements not done, %lld done twice, %lld otherwise wrong, of %lld\n",
        audit.missed, audit.doubled, audit.wrong, problem.elements);
}

void check_values(const Counted& counted) {
  const float alpha = compute_alpha(counted.problem);
  Audit audit;
  std::vector<float> y;
  for (const Element& element : counted.y) y.push_back(element.value);
  y.resize(counted.problem.elements);
  audit.look(counted.problem, y);
  if (audit.exactly_once()) return;
  show_first_difference(counted, alpha, audit);
  now.judged.failed = audit.missed > 0    ? "tiles not done"
                      : audit.doubled > 0 ? "tiles done twice"
                                          : "wrong values";
  throw Over{kWrong};
}

// The kernel has made y, and from y: not the host, and not from what the host has prepared.
void check_who_wrote(const Counted& counted) {
  if (!counted.known) return;
  const long long bytes = counted.y.size() * sizeof(float), much = std::max(bytes / 2, 1025ll);
  // A queue that is set back takes a few bytes; y has thousands.
  if (counted.copied >= much)
    end_judging(kWrong, "copied by the host",
                "launch() copies as much to the GPU as y has: the kernel is to do the work   <--");
  const bool all = std::all_of(counted.y.begin(), counted.y.end(),
                               [](const Element& element) { return element.stores > 0; });
  if (!all)
    end_judging(kWrong, "copied by the host",
                "y is right, but no kernel has written all of it: the host has   <--");
  long long elsewhere = 0;
  for (const Launched& launched : counted.launches) elsewhere += launched.loaded_elsewhere;
  if (elsewhere >= much)
    end_judging(kWrong, "copied by the host",
                "the kernel reads as much from other memory as y has: it is to multiply y   <--");
}

// The blocks that have stored to a tile.
std::vector<std::set<unsigned>> blocks_by_tile(const Counted& counted) {
  std::vector<std::set<unsigned>> blocks(counted.problem.tiles);
  for (std::size_t i = 0; i < counted.y.size(); ++i)
    blocks[i / counted.problem.tile].insert(counted.y[i].block);
  return blocks;
}

std::map<unsigned, long long> tiles_by_block(const Counted& counted) {
  std::map<unsigned, long long> tiles;
  for (const std::set<unsigned>& blocks : blocks_by_tile(counted))
    for (const unsigned block : blocks) ++tiles[block];
  return tiles;
}

// Nothing can be said.
bool silent(const Counted& counted) {
  return performing() || !counted.known || counted.launches.empty();
}

// A second kernel is named, and not what it adds to the counts.
bool one_launch(const Counted& counted) {
  if (silent(counted) || counted.launches.size() == 1) return true;
  compare("kernels launched", counted.launches.size(), 1);
  return false;
}

}  // namespace

const Launched& Counted::main() const {
  return *std::max_element(
      launches.begin(), launches.end(),
      [](const Launched& a, const Launched& b) { return a.blocks < b.blocks; });
}

Judged judge(void (*check)(), const std::string& bytes, std::uint64_t seed,
             const account::Key& key) {
  now = Judge();
  now.records = read_records(bytes, key);
  set_seed(seed);
  if (is_next(account::Record::opened)) now.judged.settings = now.records[now.next++].data;
  try {
    check();
    const std::string& end = take(account::Record::end);
    now.judged.whole = true;
    std::memcpy(&now.judged.findings, end.data(), std::min(end.size(), sizeof(unsigned)));
    now.judged.code = now.judged.failed.empty() ? kPass : kWrong;
  } catch (const Over& over) {
    now.judged.code = over.code;
  }
  return now.judged;
}

// ---- steps that the student's program performs ----

Counted each_tile_once(const Problem& problem, Launch launch) {
  Counted counted;
  if (performing()) {
    performer->tiles(problem, launch);
    return counted;
  }
  if (!now.predicted)
    print("  y has %lld elements: %d %s of %d\n", problem.elements, problem.tiles,
          problem.tiles == 1 ? "tile" : "tiles", problem.tile);
  if (!take_note(note_of(problem)).empty()) end_changed();
  begin_run();
  counted = watched();
  counted.problem = problem;
  const std::vector<long long> counts = gpu_memory<long long>(nullptr, kEvents);
  counted.started = counts[kStarted], counted.prologues = counts[kPrologues];
  counted.steals = counts[kSteals];
  if (counted.known && counted.launches.empty())
    end_judging(kWrong, "no kernel", "launch() has launched no kernel   <--");
  check_values(counted);
  check_who_wrote(counted);
  return counted;
}

void begin_run() {
  if (performing()) return performer->note("run");
  take_note("run");
  nothing_ran_between_runs();
  now.running = true;
}

std::vector<Launched> end_run() {
  if (performing()) {
    performer->end_run();
    return {};
  }
  take_note("launched");
  take_note("finished");
  now.running = false;
  return std::exchange(now.launches, {});
}

Counted watched() {
  Counted counted;
  if (performing()) {
    performer->watched();
    return counted;
  }
  counted.launches = end_run();
  const std::string& region = take(account::Record::region);
  std::size_t at = 0;
  std::uint64_t copied = 0;
  read_from(region, at, copied);
  counted.known = copied != ~std::uint64_t{0};
  counted.copied = static_cast<long long>(copied);
  read_from(region, at, counted.y);
  return counted;
}

long long told() {
  if (performing()) return tell(performer->value());
  const std::string value = take_note("value ");
  now.predicted = true;
  nothing_ran_between_runs();
  return std::strtoll(value.c_str(), nullptr, 10);
}

int told_resident(const char* kernel) {
  if (performing()) return static_cast<int>(tell(performer->resident(kernel)));
  return now.resident = static_cast<int>(std::clamp(told(), 1ll, 100'000ll));
}

std::vector<unsigned char> shown(const void* memory, std::size_t bytes) {
  std::vector<unsigned char> copy(bytes);
  if (performing()) {
    performer->show(memory, copy);
    return copy;
  }
  const std::string& data = take(account::Record::memory);
  std::memcpy(copy.data(), data.data(), std::min(bytes, data.size()));
  return copy;
}

// ---- judging ----

void print(const char* format, ...) {
  if (performing()) return;
  char line[1000];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  now.judged.text += line;
}

void compare(const char* what, long long yours, long long expected) {
  if (performing()) return;
  print("  %-42s yours %6lld  expected %6lld%s\n", what, yours, expected, mark(yours == expected));
  if (yours != expected) differs(what);
}

void compare_claim(const char* what, bool yours, bool expected) {
  if (performing()) return;
  print("  %-42s yours %6s  expected %6s%s\n", what, yours ? "true" : "false",
        expected ? "true" : "false", mark(yours == expected));
  if (yours != expected) differs(what);
}

void predicted(const char* what, long long yours, long long counted) {
  if (performing()) return;
  print("  %-42s yours %8lld   %s\n", what, yours, yours == counted ? "right" : "not so   <--");
  if (yours != counted) differs(what);
}

void predicted(const char* what, bool yours, bool right) {
  if (performing()) return;
  print("  %-42s yours %8s   %s\n", what, yours ? "true" : "false",
        yours == right ? "right" : "not so   <--");
  if (yours != right) differs(what);
}

void predicted(const char* what, char yours, char right) {
  if (performing()) return;
  print("  %-42s yours %8c   %s\n", what, yours, yours == right ? "right" : "not so   <--");
  if (yours != right) differs(what);
}

void threads_stay(const Counted& counted, int x, int y) {
  if (silent(counted)) return;
  const int(&block)[3] = counted.main().block;
  if (block[0] != x || block[1] != y || block[2] != 1)
    return changed("threads of a block", "a block has " + by(block[0], block[1], block[2]) +
                                             " threads now; the exercise wants " + by(x, y, 1) +
                                             ", as it was");
  // The check has asked for as many tiles as this number makes interesting.
  if (now.resident != 0 && now.resident != counted.main().resident)
    compare("blocks that the GPU holds at a time", now.resident, counted.main().resident);
}

void clusters_stay(const Counted& counted, int x, int y) {
  if (silent(counted)) return;
  const int(&cluster)[3] = counted.main().cluster;
  if (cluster[0] == x && cluster[1] == y && cluster[2] == 1) return;
  changed("blocks of a cluster", "a cluster has " + by(cluster[0], cluster[1], cluster[2]) +
                                     " blocks now; the exercise wants " + by(x, y, 1) +
                                     ", as it was");
}

void shared_memory_stays(const Counted& counted, int least, int most) {
  if (silent(counted)) return;
  const int bytes = counted.main().shared;
  if (bytes >= least && bytes <= most) return;
  changed("shared memory of a block",
          "a block has " + std::to_string(bytes) + " bytes of shared memory; the exercise wants " +
              std::to_string(least) + " to " + std::to_string(most) + ", about as it was");
}

void threads_share(const Counted& counted) {
  if (silent(counted)) return;
  const int tile = counted.problem.tile;
  const int(&block)[3] = counted.main().block;
  const int due = std::min(tile, block[0] * block[1] * block[2]);
  for (std::size_t first = 0; first + tile <= counted.y.size(); first += tile) {
    std::set<unsigned> threads;
    for (int i = 0; i < tile; ++i) threads.insert(counted.y[first + i].thread);
    const int share = static_cast<int>(threads.size());
    if (share < due) return compare("threads that share in a tile", share, due);
  }
  // Nor does one of them multiply for all.
  const std::map<unsigned, long long> tiles = tiles_by_block(counted);
  for (const BlockWork& work : counted.main().work) {
    const auto own = tiles.find(work.block);
    if (own == tiles.end()) continue;
    const long long all = own->second * tile, share = own->second * ((tile + due - 1) / due);
    if (work.products > share + share / 2 + 1)
      return compare("threads that share in a tile", all / work.products, due);
  }
}

void work_hides_requests(const Counted& counted) {
  if (silent(counted)) return;
  const Launched& launched = counted.main();
  const auto twice = std::find_if(counted.y.begin(), counted.y.end(),
                                  [](const Element& element) { return element.stores > 1; });
  if (twice != counted.y.end())
    return changed("requests that no work hides",
                   "element " + std::to_string(twice - counted.y.begin()) + " of y was stored " +
                       std::to_string(twice->stores) +
                       " times: work that hides a request is done once");
  // Some threads of a tile that is not full have nothing to store.
  const std::size_t last = counted.problem.tiles - 1;
  const unsigned not_full = last < launched.runner.size() ? launched.runner[last] : kNobody;
  for (const BlockWork& block : launched.work) {
    if (block.unhidden == 0 || block.block == not_full) continue;
    return changed("requests that no work hides",
                   "block " + std::to_string(block.block) + ": threads waited " +
                       std::to_string(block.unhidden) +
                       " times for a response before they had done their part of the tile: no work "
                       "hides the request");
  }
}

void asked_ahead(const Counted& counted) {
  if (silent(counted)) return;
  long long later = 0, unasked = 0;
  for (const BlockWork& block : counted.main().work) later += block.later, unasked += block.unasked;
  if (3 * unasked <= 2 * later) return;
  changed("asked ahead", std::to_string(unasked) + " of " + std::to_string(later) +
                             " elements of stolen tiles were done while no request was under way: "
                             "the next one is to be sent before the tile is done");
}

void started(const Counted& counted, long long blocks, const char* what) {
  if (performing()) return;
  long long all = counted.known ? 0 : counted.started;
  for (const Launched& launched : counted.launches) all += launched.started;
  if (!one_launch(counted)) return;
  compare(what, all, blocks);
  if (silent(counted)) return;
  if (counted.started != all) compare("blocks that you count as started", counted.started, all);
}

void main_started(const Counted& counted, long long blocks) {
  if (performing()) return;
  const long long all = silent(counted) ? counted.started : counted.main().started;
  compare("blocks started", all, blocks);
  if (counted.started != all) compare("blocks that you count as started", counted.started, all);
}

void shared_evenly(const Counted& counted) {
  if (silent(counted)) return;
  const long long blocks = counted.main().started;
  const std::map<unsigned, long long> tiles = tiles_by_block(counted);
  long long most = 0;
  for (const auto& [block, number] : tiles) most = std::max(most, number);
  const long long share = (counted.problem.tiles + blocks - 1) / blocks;
  if (most > share) compare("tiles of the busiest block", most, share);
  const long long busy = tiles.size(), due = std::min<long long>(blocks, counted.problem.tiles);
  if (busy < due) compare("blocks that have a tile", busy, due);
}

void done_by_their_blocks(const Counted& counted) {
  if (silent(counted) || counted.launches.size() != 1) return;
  const Launched& launched = counted.main();
  const std::vector<std::set<unsigned>> blocks = blocks_by_tile(counted);
  for (unsigned tile = 0; tile < blocks.size(); ++tile) {
    const unsigned runner = tile < launched.runner.size() ? launched.runner[tile] : kNobody;
    if (blocks[tile] == std::set<unsigned>{runner} || runner == kNobody) continue;
    const std::string who =
        runner == tile ? "started itself" : "block " + std::to_string(runner) + " has stolen";
    print("  tile %u belongs to block %u, which %s; block %u has done it   <--\n", tile, tile,
          who.c_str(),
          *blocks[tile].begin() == runner ? *blocks[tile].rbegin() : *blocks[tile].begin());
    return differs("another block's tile");
  }
}

void done_in_columns(const Counted& counted, int columns) {
  if (silent(counted) || counted.launches.size() != 1) return;
  const Launched& launched = counted.main();
  const unsigned width = launched.grid[0];
  const auto cluster_of = [&](unsigned place) {
    return std::pair(place % width / launched.cluster[0], place / width / launched.cluster[1]);
  };
  const std::vector<std::set<unsigned>> blocks = blocks_by_tile(counted);
  std::set<std::pair<unsigned, std::pair<unsigned, unsigned>>> done;  // by which block, of which
  for (unsigned tile = 0; tile < blocks.size(); ++tile) {
    const unsigned place = tile % columns + tile / columns * width;
    if (place >= launched.runner.size() || launched.runner[place] == kNobody) continue;
    const auto due = cluster_of(launched.runner[place]);
    for (const unsigned block : blocks[tile]) {
      const auto [x, y] = cluster_of(block);
      if (std::pair(x, y) != due) {
        print(
            "  tile %u belongs to cluster (%u,%u), which started with it or has stolen it; cluster "
            "(%u,%u) has done it   <--\n",
            tile, due.first, due.second, x, y);
        return differs("another block's tile");
      }
      if (done.insert({block, cluster_of(place)}).second) continue;
      print("  block %u has done tile %u and another one of the same cluster   <--\n", block, tile);
      return differs("another block's tile");
    }
  }
}

// The first block of the launch of which it isn't so; nullptr: none.
template <class Claim>
const BlockWork* first_unlike(const Counted& counted, Claim claim) {
  const std::vector<BlockWork>& work = counted.main().work;
  const auto found = std::find_if_not(work.begin(), work.end(), claim);
  return found == work.end() ? nullptr : &*found;
}

void prologues(const Counted& counted) {
  if (performing()) return;
  const Problem& problem = counted.problem;
  if (silent(counted) || problem.prologue == 0)
    return compare("prologues", counted.prologues, counted.started);
  long long ran = 0;
  const long long started = counted.main().started;
  for (const Launched& launched : counted.launches)
    for (const BlockWork& block : launched.work) {
      const unsigned of_one = block.fmas / problem.prologue,
                     late = block.late_fmas / problem.prologue;
      ran += std::max(of_one, std::min(of_one, 1u) + late);
    }
  compare("prologues", ran, started);
  if (ran == started && counted.prologues != ran)
    compare("prologues that you count", counted.prologues, ran);
  constexpr int kMoreThanATile = 200;
  if (problem.prologue < kMoreThanATile) return;
  const auto short_rows = [&](const BlockWork& block) {
    return block.late_in_a_row < static_cast<unsigned>(problem.prologue);
  };
  if (const BlockWork* block = first_unlike(counted, short_rows))
    changed("prologues", "block " + std::to_string(block->block) +
                             ": behind its first tile, a thread computes " +
                             std::to_string(block->late_in_a_row) +
                             " instructions long, as for a prologue; a tile takes a few");
}

void drew(const Counted& counted) {
  if (silent(counted)) return;
  const std::map<unsigned, long long> tiles = tiles_by_block(counted);
  for (const BlockWork& block : counted.main().work) {
    const auto own = tiles.find(block.block);
    const long long number = own == tiles.end() ? 0 : own->second;
    if (block.draws >= number) continue;
    print("  block %u:\n", block.block);
    return compare("numbers drawn, at least one for each tile", block.draws, number);
  }
  const Launched& launched = counted.main();
  if (launched.stored < static_cast<long long>(counted.y.size())) {
    print("  the kernel that draws has not stored all of y: another one has   <--\n");
    return differs("tiles shared out beforehand");
  }
  const std::vector<std::set<unsigned>> blocks = blocks_by_tile(counted);
  for (std::size_t tile = 0; tile < blocks.size() && tile < launched.drawer.size(); ++tile) {
    const unsigned drawer = launched.drawer[tile];
    if (blocks[tile] == std::set<unsigned>{drawer}) continue;
    print("  block %u has drawn the number of tile %zu; block %u has done it   <--\n", drawer, tile,
          *blocks[tile].begin() == drawer ? *blocks[tile].rbegin() : *blocks[tile].begin());
    return differs("tiles shared out beforehand");
  }
}

bool drawn_in_turns(const Counted& counted) {
  if (silent(counted) || seed() == 0) return false;
  const std::vector<unsigned>& drawer = counted.main().drawer;
  const auto blocks = static_cast<std::ptrdiff_t>(counted.main().started);
  if (static_cast<std::ptrdiff_t>(drawer.size()) < 2 * blocks) return false;
  return std::equal(drawer.begin() + blocks, drawer.end(), drawer.begin());
}

void asked_until_refused(const Counted& counted) {
  if (silent(counted)) return;
  const Launched& launched = counted.main();
  const unsigned width = launched.grid[0], height = launched.grid[1];
  std::map<std::tuple<unsigned, unsigned, unsigned>, unsigned> refused;  // by cluster
  for (const BlockWork& block : launched.work)
    refused[{block.block % width / launched.cluster[0],
             block.block / width % height / launched.cluster[1],
             block.block / width / height / launched.cluster[2]}] += block.refused;
  const long long left = std::count_if(refused.begin(), refused.end(),
                                       [](const auto& cluster) { return cluster.second == 0; });
  if (left == 0) return;
  const std::string who = refused.size() == launched.work.size() ? "blocks" : "clusters";
  changed("asked until refused", std::to_string(left) + " of " + std::to_string(refused.size()) +
                                     " " + who +
                                     " that started have left without having been refused: each "
                                     "is to ask until then");
}

void few_start(const Counted& counted) {
  if (silent(counted)) return;
  const Launched& launched = counted.main();
  // With fewer tiles, some of the first blocks have none.
  if (counted.problem.tiles < launched.resident) return;
  const long long most = launched.resident + (launched.blocks - launched.resident) / 8;
  if (launched.started <= most) return;
  changed("blocks that start",
          std::to_string(launched.started) + " of " + std::to_string(launched.blocks) +
              " blocks started; the GPU holds " + std::to_string(launched.resident) +
              " at a time, and nearly all others were to be cancelled");
}

void each_gets_its_response(const Counted& counted) {
  if (silent(counted)) return;
  const auto gets = [](const BlockWork& block) {
    return block.answers > 0 && block.decodes + 1 >= block.answers;
  };
  if (const BlockWork* block = first_unlike(counted, gets))
    changed("a response for each block",
            "block " + std::to_string(block->block) + " was sent " +
                std::to_string(block->answers) + " responses and has taken a block from " +
                std::to_string(block->decodes) +
                "; the exercise wants that each block gets its own and reads it");
}

void two_requests_stay(const Counted& counted) {
  if (silent(counted)) return;
  const auto two = [](const BlockWork& block) { return block.requests >= 2; };
  if (const BlockWork* block = first_unlike(counted, two))
    changed(
        "requests of a block",
        "block " + std::to_string(block->block) +
            " had one request under way alone; in this exercise each has another one beside it");
}

void responses_are_reused(const Counted& counted) {
  if (silent(counted)) return;
  constexpr unsigned kMost = 4;
  const auto few = [](const BlockWork& block) { return block.responses <= kMost; };
  if (const BlockWork* block = first_unlike(counted, few))
    changed("places for responses",
            "block " + std::to_string(block->block) + " has " + std::to_string(block->responses) +
                " places for responses; the exercise wants " + std::to_string(kMost) +
                " at most, so that each is used again");
}

void askers_only_ask(const Counted& counted) {
  if (silent(counted)) return;
  const auto only = [](const BlockWork& block) { return block.asking_workers == 0; };
  if (const BlockWork* block = first_unlike(counted, only))
    changed("a warp that asks", "block " + std::to_string(block->block) +
                                    ": the warp that asks does tiles, too; the exercise wants a "
                                    "warp that only asks, as it was");
}

void requesters_stay(const Counted& counted, unsigned warps) {
  if (silent(counted)) return;
  const auto so_many = [&](const BlockWork& block) { return block.asking_warps == warps; };
  if (const BlockWork* block = first_unlike(counted, so_many))
    changed("requesters of a block",
            "block " + std::to_string(block->block) + ": the requests of a round come from " +
                std::to_string(block->asking_warps) + " warp; the exercise wants them from " +
                std::to_string(warps) + ", as it was");
}

void no_other_memory(const Counted& counted) {
  if (silent(counted)) return;
  const Launched& launched = counted.main();
  const bool draws = std::any_of(launched.work.begin(), launched.work.end(),
                                 [](const BlockWork& block) { return block.draws > 0; });
  if (launched.loaded_elsewhere == 0 && !draws) return;
  changed("other memory of the GPU",
          "the blocks read or count in memory of the GPU that is neither y nor the counters: they "
          "need none");
}

void clusters_meet_at_end(const Counted& counted) {
  if (silent(counted)) return;
  const auto met = [](const BlockWork& block) { return block.left_alone == 0; };
  if (const BlockWork* block = first_unlike(counted, met))
    changed("clusters meet at the end",
            "block " + std::to_string(block->block) +
                " was refused, and left without having met the other block of its cluster");
}

namespace {

void copies_together(const Counted& counted, unsigned BlockWork::*number, unsigned due) {
  if (silent(counted)) return;
  const auto enough = [&](const BlockWork& block) { return block.*number >= due; };
  if (const BlockWork* block = first_unlike(counted, enough))
    changed("bulk copies under way",
            "block " + std::to_string(block->block) + " had a bulk copy with " +
                std::to_string(block->*number) +
                " under way at a time, itself included; the exercise wants " + std::to_string(due) +
                " all the time, as it was");
}

}  // namespace

void loads_stay(const Counted& counted, unsigned loads) {
  copies_together(counted, &BlockWork::loads, loads);
}

void copies_out_stay(const Counted& counted, unsigned copies) {
  copies_together(counted, &BlockWork::copies_out, copies);
}

void copies_stay(const Counted& counted, long long all) {
  if (silent(counted) || counted.main().bulk_copies == all) return;
  changed("bulk copies", std::to_string(counted.main().bulk_copies) +
                             " bulk copies; the exercise wants " + std::to_string(all) +
                             ", as it was");
}

void copies_read(const Counted& counted) {
  if (silent(counted) || counted.main().loaded_from_y == 0) return;
  changed("bulk copies", "threads read " + std::to_string(counted.main().loaded_from_y) +
                             " bytes of y themselves; the exercise wants what the copies brought");
}

void copies_store(const Counted& counted) {
  if (silent(counted)) return;
  const long long by_threads =
      std::count_if(counted.y.begin(), counted.y.end(),
                    [](const Element& element) { return element.thread != kNobody; });
  if (by_threads == 0) return;
  changed("bulk copies", "threads store " + std::to_string(by_threads) +
                             " elements of y themselves; the exercise wants that the copies do");
}

void stole(const Counted& counted, long long blocks, int resident) {
  if (performing()) return;
  long long stolen = 0, started = 0, all = 0;
  for (const Launched& launched : counted.launches)
    stolen += launched.stolen, started += launched.started, all += launched.blocks;
  if (!counted.known) stolen = counted.steals, started = counted.started, all = started + stolen;
  print("  %lld blocks, of which the GPU holds %d at a time: %lld started, %lld stolen\n", blocks,
        resident, started, stolen);
  if (!one_launch(counted)) return;
  compare("blocks in the grid", all, blocks);
  if (stolen == 0 && blocks >= 4ll * resident)
    end_judging(kInconclusive, "nothing stolen",
                "every tile was done once, but no block was stolen");
  if (silent(counted)) return;
  if (counted.started != started)
    compare("blocks that you count as started", counted.started, started);
  if (counted.steals != stolen) compare("steals that you count", counted.steals, stolen);
}

void shared_out_beforehand(const Counted& once, const Counted& again) {
  if (silent(once) || silent(again)) return;
  const std::vector<std::set<unsigned>> before = blocks_by_tile(once),
                                        after = blocks_by_tile(again);
  for (std::size_t tile = 0; tile < std::min(before.size(), after.size()); ++tile) {
    if (before[tile] == after[tile]) continue;
    print(
        "  of two launches alike, tile %zu was done by block %u in one and by block %u in the "
        "other   <--\n",
        tile, *before[tile].begin(), *after[tile].begin());
    return differs("shared out while it runs");
  }
}

void barriers_at_least(const Counted& counted, long long all, const char* what) {
  if (silent(counted) || counted.main().block_barriers >= all) return;
  compare(what, counted.main().block_barriers, all);
}

void barriers_behind_tiles(const Counted& counted) {
  if (silent(counted)) return;
  const auto meets = [](const BlockWork& block) { return block.barriers_behind > 0; };
  if (const BlockWork* block = first_unlike(counted, meets))
    changed("a barrier behind the last tile",
            "block " + std::to_string(block->block) +
                ": its threads don't meet after its last tile; the exercise wants that they do");
}

void barriers_at_most(const Counted& counted, int each) {
  if (silent(counted) || counted.main().block_barriers <= each * counted.main().started) return;
  compare("barriers of whole blocks", counted.main().block_barriers, counted.main().started);
}

void must_have_run(bool ran, const char* sentence) {
  if (!performing() && !ran) end_judging(kWrong, "no kernel", sentence);
}

void fail(ExitCode code, const char* what, const char* sentence) {
  if (!performing()) end_judging(code, what, sentence);
}

}  // namespace clc
