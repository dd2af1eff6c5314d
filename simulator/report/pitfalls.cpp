#include "report/pitfalls.h"

#include <span>

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
    {Note::never_waited, "no-wait"},         {Note::others_waited, "no-wait"},
    {Note::ended_unarmed, "arrive-only"},    {Note::passed_at_once, ""},
    {Note::result_ignored, "no-wait"},       {Note::no_expect_tx, "no-expect-tx"},
    {Note::too_many_bytes, "wrong-bytes"},   {Note::never_armed, "one-block-arms"},
    {Note::arrivals_missing, "wrong-count"}, {Note::never_arrived, "start-parity"},
    {Note::no_bytes, "no-multicast"},        {Note::for_change, "grid-sync"},
};

constexpr Row<What> kWhats[] = {
    {What::peer_exited, "peer-left"},
    {What::peer_unheard_of, "peer-not-started"},
    {What::peer_init_unordered, "init-unseen"},
    {What::calls_again, "called-twice"},
    {What::leads_too, "wrong-rank"},
    {What::init_again, "init-each-round"},
    {What::init_unordered, "init-unseen"},
    {What::waits_for_old, ""},
    {What::waits_too_late, ""},
    {What::starts_with_wrong_parity, "start-parity"},
    {What::waits_for_passed, "same-parity"},
    {What::read_behind_relaxed, "relaxed-wait"},
    {What::two_requests, "one-slot"},
    {What::fenced_in_another_block, "wrong-space"},
    {What::request_overtakes, "no-barrier"},
    {What::request_overtakes_in_cluster, "block-hand-back"},
    {What::global_race_in_cluster, "no-rank"},
    {What::barrier_missed, "some-threads"},
    {What::shared_race, "one-barrier"},
    {What::shared_race_in_line, "one-barrier"},
    {What::undefined_update, "not-zeroed"},
};

constexpr Row<Rule> kRules[] = {
    {Rule::request_after_failure, "ask-again"},
    {Rule::decode_of_failure, "decode-first"},
    {Rule::missing_proxy_fence, "no-fence"},
    {Rule::bad_address, "misaligned"},
    {Rule::barrier_phase, "all-arrive"},
    {Rule::request_in_flight_at_exit, "leave-in-flight"},
    {Rule::stolen_block_dropped, "drop-the-last"},
    {Rule::out_of_bounds, "no-guard"},
    {Rule::use_after_free, "freed"},
    {Rule::warp_sync_mask, "partial-shuffle"},
};

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
  if (const auto* row = row_of<Rule>(kRules, finding.rule)) return row->pitfall;
  return {};
}

}  // namespace clcsim::report
