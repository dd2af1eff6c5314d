#include "report/pitfalls.h"

#include <span>

#include "report/source.h"

namespace clcsim::report {
namespace {

using machine::Note;
using machine::Rule;
using machine::What;

template <class Case>
struct Row {
  Case is;
  std::string_view pitfall;
};

// The first table that knows the case decides: a detail's, what happened, the rule. Every name here
// is run by a test, and must give its line.
constexpr Row<Note> kDetails[] = {
    {Note::no_wait, "no-wait or no-volatile"},
    {Note::never_waited, "no-wait"},
    {Note::others_waited, "no-wait"},
    {Note::result_ignored, "no-wait"},
    {Note::waited_for, "same-parity"},
    {Note::passed_at_once, "start-parity"},
    {Note::ended_unarmed, "arrive-only"},
    {Note::receiving_block, "peer-left"},
    {Note::no_expect_tx, "no-expect-tx"},
    {Note::unexpected_bytes, "no-expect-tx"},
    {Note::too_many_bytes, "wrong-bytes"},
    {Note::too_few_bytes, "wrong-bytes"},
    {Note::no_bytes, "no-multicast"},
    {Note::never_armed, "one-block-arms"},
    {Note::never_arrived, "start-parity"},
    {Note::none_arrived, "same-parity"},
    {Note::arrivals_missing, "wrong-count"},
    {Note::for_lanes, "partial-shuffle"},
    {Note::for_change, "grid-sync or look-back"},
};

constexpr Row<What> kWhats[] = {
    {What::unarmed, "arrive-only"},
    {What::peer_exited, "peer-left"},
    {What::peer_unheard_of, "peer-not-started"},
    {What::peer_init_unordered, "init-unseen"},
    {What::calls_again, "called-twice"},
    {What::arrives_early, "same-parity"},
    {What::waits_for_old, "same-parity"},
    {What::waits_for_passed, "same-parity"},
    {What::starts_with_wrong_parity, "start-parity"},
    {What::waits_too_late, "no-barrier"},
    {What::read_behind_relaxed, "relaxed-wait"},
    {What::two_requests, "one-slot"},
    {What::two_blocks_request, "all-blocks-ask"},
    {What::two_requests_to_peer, "block-hand-back"},
    {What::request_overtakes_in_cluster, "block-hand-back"},
    {What::fenced_in_another_block, "wrong-space"},
    {What::global_race_in_cluster, "no-rank"},
    {What::call_missed, "some-threads"},
    {What::peer_may_exit, "peer-left"},
    {What::peer_may_not_run, "peer-not-started"},
    {What::shared_race, "one-barrier"},
    {What::shared_race_in_line, "one-barrier"},
    {What::undefined_query, "no-wait"},
};

constexpr Row<Rule> kRules[] = {
    {Rule::request_after_failure, "ask-again"},
    {Rule::decode_of_failure, "decode-first"},
    {Rule::response_not_complete, "no-wait"},
    {Rule::response_overwritten, "no-barrier"},
    {Rule::missing_proxy_fence, "no-fence"},
    {Rule::bad_address, "misaligned"},
    {Rule::barrier_not_initialised, "init-unseen"},
    {Rule::barrier_reinitialised, "init-each-round"},
    {Rule::barrier_phase, "all-arrive"},
    {Rule::request_in_flight_at_exit, "leave-in-flight"},
    {Rule::stolen_block_dropped, "drop-the-last"},
    {Rule::several_leaders, "wrong-rank"},
    {Rule::block_barrier_divergence, "early-return"},
    {Rule::out_of_bounds, "no-guard"},
    {Rule::use_after_free, "freed"},
    {Rule::uninitialised_read, "not-zeroed"},
    {Rule::warp_sync_mask, "partial-shuffle"},
    {Rule::deadlock, "some-threads"},
};

// Of two blocks of a grid that race: whether both are at the same line, so that they do the same
// with elements that each takes for its own.
bool in_one_line(const machine::Finding& finding) {
  if (finding.at.program == nullptr || finding.details.empty()) return false;
  const SourceLine here = source_of(*finding.at.program, finding.at.location);
  const machine::Place& other = finding.details[0].place;
  if (other.program == nullptr) return false;
  const SourceLine there = source_of(*other.program, other.location);
  return here.line == there.line && here.path == there.path;
}

template <class Case>
const Row<Case>* row_of(std::span<const Row<Case>> table, Case is) {
  for (const Row<Case>& row : table) {
    if (row.is == is) return &row;
  }
  return nullptr;
}

}  // namespace

std::string_view pitfall_of(const machine::Finding& finding) {
  for (const machine::Finding::Detail& detail : finding.details) {
    if (const auto* row = row_of<Note>(kDetails, detail.note)) return row->pitfall;
  }
  if (const auto* row = row_of<What>(kWhats, finding.what)) return row->pitfall;
  if (finding.what == What::global_race_of_blocks && in_one_line(finding)) {
    return "index-overflow or no-guard";
  }
  if (const auto* row = row_of<Rule>(kRules, finding.rule)) return row->pitfall;
  return {};
}

}  // namespace clcsim::report
