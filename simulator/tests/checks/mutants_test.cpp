// The mutation matrix: correct kernels with one thing removed or changed. Each mutant must be
// reported under its rule, at the right line, in the natural schedule; and under other schedules
// by the same names. Mutants that break no rule are listed, with the reason, in
// equivalent_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "report/finding_words.h"
#include "tests/checks/run.h"

using namespace clcsim;
using namespace clcsim::test;

namespace {

struct Mutant {
  std::vector<Edit> edits;
  const char* finding;
  const char* at;         ///< name of the line; "": not looked at
  const char* also = "";  ///< other names that may come with it, under some schedule even alone
};

bool lists(const std::string& names, const std::string& name) {
  std::istringstream words(names);
  for (std::string word; words >> word;) {
    if (word == name) return true;
  }
  return false;
}

/// "deadlock@wait missing-proxy-fence@request": what a run reported, each once.
std::string summary(const Result& result, const Template& text) {
  std::string all;
  for (const machine::Finding& finding : result.findings) {
    const std::string word = report::name_of(finding) + "@" + text.name(line_of(finding)) + " ";
    if (all.find(word) == std::string::npos) all += word;
  }
  return all;
}

void check(const Kernel& kernel, const std::vector<Mutant>& mutants) {
  const Template text(kernel.text);
  for (const Mutant& mutant : mutants) {
    std::string what = std::string(kernel.name) + ": ";
    for (const Edit& edit : mutant.edits) what += edit.line + " -> '" + edit.text + "'; ";
    what += std::string(mutant.finding) + "@" + mutant.at;
    CAPTURE(what);
    const std::string module = text.module(mutant.edits);
    std::string wrong;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Result result = run_checked(module, kernel.shape, seed);
      bool right = seed != 0;  // a hostile schedule may hide what the natural one shows
      for (const machine::Finding& finding : result.findings) {
        right |= report::name_of(finding) == mutant.finding &&
                 (*mutant.at == '\0' || text.name(line_of(finding)) == mutant.at);
      }
      for (const std::string& name : result.names()) {
        right &= name == mutant.finding || lists(mutant.also, name);
      }
      if (!right) wrong += "seed " + std::to_string(seed) + ": " + summary(result, text);
    }
    CHECK(wrong == "");
  }
}

/// Mutants whose defect some schedule only shows: --explore must find it.
void check_explored(const Kernel& kernel, const std::vector<Mutant>& mutants) {
  const Template text(kernel.text);
  for (const Mutant& mutant : mutants) {
    CAPTURE(std::string(kernel.name));
    CAPTURE(mutant.edits[0].line);
    const std::string module = text.module(mutant.edits);
    bool found = false;
    for (std::uint64_t seed = 0; seed < 50 && !found; ++seed) {
      for (const machine::Finding& finding : run_checked(module, kernel.shape, seed).findings) {
        found |=
            report::name_of(finding) == mutant.finding && text.name(line_of(finding)) == mutant.at;
      }
    }
    CHECK(found);
  }
}

Mutant without(const char* line, const char* finding, const char* at, const char* also = "") {
  return {{{line, ""}}, finding, at, also};
}
Mutant instead(const char* line, const char* text, const char* finding, const char* at,
               const char* also = "") {
  return {{{line, text}}, finding, at, also};
}

const std::string kTry =
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 ";

}  // namespace

// What comes along where the cause has many consequences.
const char* const kAfterRace =
    "response-overwritten response-not-complete barrier-phase deadlock stolen-block-dropped "
    "request-after-failure request-in-flight-at-exit missing-proxy-fence decode-of-failure";
const char* const kAfterPoison =
    "decode-of-failure out-of-bounds request-after-failure stolen-block-dropped deadlock "
    "response-not-complete "
    "request-in-flight-at-exit uninitialised-read";

TEST_CASE("guide loop") {
  const std::string request = kTry + "[%response], [%bar];";
  const std::string arm = "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 16;";
  const std::string ask_again = "@!%leader bra OUT; " + request + arm +
                                "AGAIN: mbarrier.try_wait.parity.shared.b64 %done, [%bar], %parity;"
                                "@!%done bra AGAIN; OUT: ret;";
  const std::string exit_early = "mbarrier.arrive.shared.b64 _, [%bar];";
  const char* const no_wait = "setp.eq.u32 %done, %parity, %parity;";
  check(
      kGuideLoop,
      {
          // the two undefined behaviours of the programming guide
          without("leave", "decode-of-failure", "decode", kAfterPoison),
          instead("query",
                  "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r9, %answer; "
                  "same",
                  "decode-of-failure", "query"),
          instead("end", ask_again.c_str(), "request-after-failure", "end", kAfterRace),
          // the wait
          instead("wait", no_wait, "response-not-complete", "read", kAfterRace),
          instead("wait",
                  "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %done, [%bar], %parity;",
                  "response-not-complete", "read"),
          {{{"wait", "@!%leader bra GO; same"}, {"flip", "GO: same"}},
           "response-not-complete",
           "read",
           kAfterRace},
          instead("start_parity", "mov.u32 %parity, 1;", "response-not-complete", "read",
                  kAfterRace),
          without("flip", "response-not-complete", "read", kAfterRace),
          instead("wait",
                  "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%bar+8], %parity;",
                  "barrier-not-initialised", "wait"),
          // the expect-tx
          without("arm", "deadlock", "wait"),
          // and no wait either: the block reads too early, and leaves too early; neither hides the
          // other
          {{{"arm", ""}, {"wait", no_wait}}, "response-not-complete", "request", kAfterRace},
          {{{"arm", ""}, {"wait", no_wait}}, "request-in-flight-at-exit", "request", kAfterRace},
          instead("arm", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 8;", "deadlock",
                  "wait"),
          instead("arm", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 32;", "deadlock",
                  "wait"),
          instead("arm", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], 16;", "deadlock",
                  "wait"),
          instead("arm", "mbarrier.arrive.shared::cta.b64 _, [%bar];", "response-not-complete",
                  "read", kAfterRace),
          {{{"request", exit_early.c_str()},
            {"arm", (request + "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], 16;")}},
           "response-not-complete",
           "read",
           kAfterRace},
          // the init
          without("init", "barrier-not-initialised", ""),
          without("init_sync", "barrier-not-initialised", "wait", kAfterRace),
          instead("init_sync", "bar.warp.sync 0xffffffff;", "barrier-not-initialised", "wait",
                  kAfterRace),
          instead("init", "@%leader mbarrier.init.shared::cta.b64 [%bar], 2;", "deadlock", "wait"),
          instead("init", "@%leader mbarrier.init.shared::cta.b64 [%bar], 0;", "barrier-phase",
                  "init"),
          instead("init", "mbarrier.init.shared::cta.b64 [%bar], 1;", "barrier-reinitialised",
                  "init", kAfterRace),
          instead("arm", "mbarrier.init.shared::cta.b64 [%bar], 1; same", "barrier-reinitialised",
                  "arm", kAfterRace),
          instead("end", "@!%leader bra OUT; mbarrier.init.shared::cta.b64 [%bar], 1; OUT: ret;",
                  "barrier-reinitialised", "end", "deadlock"),
          instead("arm", "same st.shared.u64 [%bar], 0;", "barrier-reinitialised", "arm"),
          instead("flip", "same @%leader mbarrier.inval.shared::cta.b64 [%bar];",
                  "barrier-not-initialised", "", kAfterRace),
          // handing the response back
          without("hand_back", "response-overwritten", "request", kAfterRace),
          instead("hand_back", "bar.warp.sync 0xffffffff;", "response-overwritten", "request",
                  kAfterRace),
          without("release_fence", "missing-proxy-fence", "request"),
          without("acquire_fence", "missing-proxy-fence", "request"),
          {{{"acquire_fence", ""}, {"release_fence", "fence.proxy.async.global;"}},
           "missing-proxy-fence",
           "request"},
          {{{"acquire_fence", ""},
            {"arm",
             "same fence.proxy.async::generic.acquire."
             "sync_restrict::shared::cluster.cluster;"}},
           "missing-proxy-fence",
           "request"},
          {{{"release_fence", ""},
            {"read",
             "fence.proxy.async::generic.release.sync_restrict::"
             "shared::cta.cluster; same"}},
           "missing-proxy-fence",
           "request"},
          instead("acquire_fence", "fence.acq_rel.cta;", "missing-proxy-fence", "request"),
          instead("release_fence", "fence.acq_rel.cta;", "missing-proxy-fence", "request"),
          instead("release_fence",
                  "@%leader fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
                  "missing-proxy-fence", "request"),
          instead("init", "same @%leader st.shared.v2.u64 [%response], {%visits, %visits};",
                  "missing-proxy-fence", "request"),
          instead("arm", "same st.shared.u32 [%response], %tid;", "response-overwritten", "arm",
                  "data-race"),
          instead("hand_back", "@%leader bar.sync 0;", "deadlock", "", kAfterRace),
          // who requests, what, and where
          without("skip_request", "response-overwritten", "request", kAfterRace),
          instead("request", (request + request).c_str(), "response-overwritten", "request",
                  kAfterRace),
          instead("response_at", "mov.u32 %response, response+8;", "bad-address", "request"),
          instead("response_at", "mov.u32 %response, response+4;", "bad-address", "request"),
          instead("bar_at", "mov.u32 %bar, bars+4;", "bad-address", "init"),
          instead("request", (kTry + "[%response], [%bar+16];").c_str(), "barrier-not-initialised",
                  "request"),
          instead("request",
                  "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 "
                  "[%visits], [%visits];",
                  "bad-address", "request"),
          without("request", "deadlock", "wait"),
          // the response's use
          instead("leave", "@%won bra DONE;", "stolen-block-dropped", "request", kAfterPoison),
          instead("decode", "mov.u32 %tile, %r9;", "stolen-block-dropped", "request",
                  "uninitialised-read"),
          instead("read", "ld.shared.v2.u64 {%rd3, %rd4}, [%response+16];", "uninitialised-read",
                  "query", "stolen-block-dropped"),
          {{{"request", ""}, {"arm", "mbarrier.arrive.shared::cta.b64 _, [%bar];"}},
           "uninitialised-read",
           "query"},
          // the exit
          instead("visit", "same bra DONE;", "request-in-flight-at-exit", "request",
                  "stolen-block-dropped"),
          instead("leave", "same @%leader bra DONE;", "block-barrier-divergence", "hand_back",
                  "deadlock"),
      });
}

TEST_CASE("relaxed wait and barrier") {
  const std::string request = kTry + "[%response], [%bar];";
  check(
      kLibcuStyle,
      {
          without("publish", "response-not-complete", "read", kAfterRace),
          instead("publish", "bar.warp.sync 0xffffffff;", "response-not-complete", "read",
                  kAfterRace),
          {{{"publish", ""}, {"read", "same bar.sync 0;"}},
           "response-not-complete",
           "read",
           kAfterRace},
          instead("publish", "fence.acq_rel.cta;", "response-not-complete", "read", kAfterRace),
          instead("wait", "setp.eq.u32 %done, %parity, %parity;", "response-not-complete", "read",
                  kAfterRace),
          without("flip", "response-not-complete", "read", kAfterRace),
          without("hand_back", "response-overwritten", "request2", kAfterRace),
          instead("hand_back", "bar.warp.sync 0xffffffff;", "response-overwritten", "request2",
                  kAfterRace),
          without("fence", "missing-proxy-fence", "request2"),
          instead("fence", "fence.proxy.async.global;", "missing-proxy-fence", "request2"),
          instead("fence", "fence.proxy.alias;", "missing-proxy-fence", "request2"),
          instead("fence", "fence.sc.cta;", "missing-proxy-fence", "request2"),
          instead("fence",
                  "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
                  "missing-proxy-fence", "request2"),
          {{{"fence", ""}, {"hand_back", "@%leader fence.proxy.async.shared::cta; same"}},
           "missing-proxy-fence",
           "request2"},
          {{{"fence", ""}, {"arm2", "same fence.proxy.async.shared::cta;"}},
           "missing-proxy-fence",
           "request2"},
          without("arm", "deadlock", "wait"),
          without("arm2", "deadlock", "wait"),
          instead("arm2", "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 24;",
                  "deadlock", "wait"),
          instead("arm2", "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 12;",
                  "deadlock", "wait"),
          without("leave", "decode-of-failure", "decode", kAfterPoison),
          without("skip_first", "barrier-reinitialised", "init", kAfterRace),
          without("skip_request", "response-overwritten", "request2", kAfterRace),
          instead("request2", (kTry + "[%response+4], [%bar];").c_str(), "bad-address", "request2"),
          {{{"skip_wait", ""}}, "barrier-not-initialised", "wait", kAfterRace},
          instead("request2", (kTry + "[%response], [%bar+8];").c_str(), "barrier-not-initialised",
                  "request2"),
          instead("end",
                  ("@!%leader bra OUT; fence.proxy.async.shared::cta; " + request +
                   "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 16; OUT: ret;")
                      .c_str(),
                  "request-after-failure", "end", kAfterRace),
          instead("decode", "same @%leader bra DONE;", "block-barrier-divergence", "hand_back"),
      });
}

TEST_CASE("armed before the request") {
  check(kArmedFirst,
        {
            without("fence", "missing-proxy-fence", "request"),
            instead("fence", "@!%leader fence.proxy.async.shared::cta;", "missing-proxy-fence",
                    "request"),
            {{{"fence", ""}, {"read", "fence.proxy.async.shared::cta; same"}},
             "missing-proxy-fence",
             "request"},
            without("hand_back", "response-overwritten", "request", kAfterRace),
            without("flip", "response-not-complete", "read", kAfterRace),
            without("arm", "deadlock", "wait"),
            instead("arm", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 0;",
                    "response-not-complete", "read", kAfterRace),
            instead("decode",
                    "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%tile, %r1, "
                    "%r2, _}, %answer2;",
                    "uninitialised-read", "decode", kAfterPoison),
            without("leave", "decode-of-failure", "decode", kAfterPoison),
            instead("read", "ld.shared.b128 %answer, [%response+4096];", "out-of-bounds", "",
                    kAfterRace),
        });
}

TEST_CASE("two requests in flight") {
  check(kTwoInFlight,
        {
            instead("leave", "@!%won bra DONE;", "request-in-flight-at-exit", ""),
            instead("drain", "setp.eq.u32 %done, %tid, %tid;", "response-not-complete",
                    "drain_read", "request-in-flight-at-exit"),
            without("issued", "request-after-failure", "request_c", kAfterRace),
            instead("drain", ("@%leader " + kTry + "[%response], [%bar]; same").c_str(),
                    "request-after-failure", "drain", kAfterRace),
            without("swap_response", "response-not-complete", "", kAfterRace),
            without("swap_bar", "response-not-complete", "", kAfterRace),
            without("hand_back", "response-overwritten", "request_c", kAfterRace),
            without("fence", "missing-proxy-fence", "request_c"),
            without("arm_b", "deadlock", "wait"),
            without("arm_c", "deadlock", "wait"),
            without("init2", "barrier-not-initialised", "request_b"),
            without("flip", "response-not-complete", "read", kAfterRace),
            without("drain_leave", "decode-of-failure", "drain_decode", kAfterPoison),
            instead("request_b", (kTry + "[%response], [%r6];").c_str(), "response-overwritten",
                    "request_b", kAfterRace),
            instead("request_b", (kTry + "[%r7], [%bar];").c_str(), "deadlock", "wait", kAfterRace),
        });
}

TEST_CASE("two requesting threads") {
  check(
      kTwoRequesters,
      {
          instead("slot", "mov.u32 %r7, %response;", "response-overwritten", "request", kAfterRace),
          instead("init", "@%leader mbarrier.init.shared::cta.b64 [%bar], 1;", "barrier-phase",
                  "arm", kAfterRace),
          instead("init", "@%leader mbarrier.init.shared::cta.b64 [%bar], 3;", "deadlock", "wait"),
          instead("arm", "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 32;",
                  "deadlock", "wait"),
          instead("both", "or.pred %p3, %won, %p2;", "request-after-failure", "request",
                  kAfterRace),
          instead("decode2", "mov.u32 %tile, 0;", "stolen-block-dropped", "request"),
          instead("fence", "@%leader fence.proxy.async.shared::cta;", "missing-proxy-fence",
                  "request"),
          without("hand_back", "response-overwritten", "request", kAfterRace),
          instead("read2", "ld.shared.b128 %answer2, [%response];", "stolen-block-dropped",
                  "request", kAfterRace),
      });
}

TEST_CASE("producer and consumers") {
  const std::string release = "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r6];";
  check(kWarpSpecialised,
        {
            instead("free", ("@%p2 " + release).c_str(), "response-overwritten", "request",
                    kAfterRace),
            without("together", "response-overwritten", "request", kAfterRace),
            without("fence", "missing-proxy-fence", "request"),
            instead("wait",
                    "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %done, [%bar], %parity;",
                    "response-not-complete", "read"),
            instead("wait", "setp.eq.u32 %done, %tid, %tid;", "response-not-complete", "read",
                    kAfterRace),
            instead("wait_empty",
                    "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %done, [%r6], %r5;",
                    "response-overwritten", "request", kAfterRace),
            instead("wait_empty", "setp.eq.u32 %done, %tid, %tid;", "response-overwritten",
                    "request", kAfterRace),
            instead("init2", "mbarrier.init.shared::cta.b64 [%r6], 2;", "response-overwritten",
                    "request", kAfterRace),
            {{{"free", ""},
              {"together", ""},
              {"read",
               "bar.warp.sync 0xffffffff; @%p2 mbarrier.arrive.shared::cta.b64 _, [%r6]; "
               "same"}},
             "response-overwritten",
             "request",
             kAfterRace},
            without("flip", "response-overwritten", "request", kAfterRace),
            without("flip_empty", "response-overwritten", "request", kAfterRace),
            without("init_sync", "barrier-not-initialised", "", kAfterRace),
            without("leave", "decode-of-failure", "decode", kAfterPoison),
            without("leave_own", "deadlock", "wait_empty"),
            without("arm", "deadlock", ""),
            instead("free", "@%p3 mbarrier.arrive.release.cta.shared::cta.b64 _, [%r6];",
                    "deadlock", ""),
            without("free_own", "deadlock", ""),
            instead("wait_own", "setp.eq.u32 %done, %tid, %tid;", "response-not-complete",
                    "read_own", kAfterRace),
            without("init2", "barrier-not-initialised", ""),
        });
}

TEST_CASE("wait with a state") {
  check(kStateWait,
        {
            instead("wait", "setp.eq.u32 %done, %tid, %tid;", "response-not-complete", "read",
                    kAfterRace),
            without("fence", "missing-proxy-fence", "request"),
            instead("wait", "mbarrier.test_wait.relaxed.cta.shared::cta.b64 %done, [%bar], %rd7;",
                    "response-not-complete", "read"),
            without("arm", "uninitialised-read", "", kAfterRace),
            without("leave", "decode-of-failure", "decode", kAfterPoison),
            without("init", "barrier-not-initialised", "request"),
        });
}

TEST_CASE("cluster of two") {
  const std::string arm = "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [%bar], ";
  const std::string multicast =
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::"
      "cluster::all.b128 [%response], [%bar];";
  check(
      kCluster,
      {
          {{{"first_arrive", ""}, {"first_wait", ""}},
           "multicast-peer",
           "request",
           "barrier-not-initialised"},
          {{{"first_arrive", ""}, {"first_wait", "bar.sync 0;"}},
           "multicast-peer",
           "request",
           kAfterRace},
          instead("arm", ("@%p2 " + arm + "16;").c_str(), "deadlock", ""),
          instead("arm", ("@%leader " + arm + "32;").c_str(), "deadlock", "wait"),
          without("arm", "deadlock", "wait"),
          without("request", "deadlock", "wait"),
          instead("request", ("@%p2 " + kTry + "[%response], [%bar];").c_str(), "deadlock", "",
                  kAfterRace),
          instead("request", ("@%leader " + multicast).c_str(), "response-overwritten", "request",
                  kAfterRace),
          without("release_fence", "missing-proxy-fence", "request", "response-overwritten"),
          without("acquire_fence", "missing-proxy-fence", "request", "response-overwritten"),
          // Of .shared::cta, where the other block's response was not read.
          {{{"acquire_fence", "fence.proxy.async.shared::cta;"},
            {"release_fence", ""},
            {"arrive", "barrier.cluster.arrive;"}},
           "missing-proxy-fence",
           "request"},
          {{{"acquire_fence",
             "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster; same"},
            {"release_fence", ""},
            {"arrive", "barrier.cluster.arrive;"}},
           "missing-proxy-fence",
           "request"},
          {{{"arrive", ""}, {"wait_cluster", "bar.sync 0;"}},
           "response-overwritten",
           "request",
           kAfterRace},
          instead("wait",
                  "mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %done, [%bar], "
                  "%parity;",
                  "response-not-complete", "read"),
          instead("wait", "setp.eq.u32 %done, %tid, %tid;", "response-not-complete", "read",
                  "request-in-flight-at-exit uninitialised-read multicast-peer"),
          without("flip", "response-not-complete", "read", kAfterRace),
          instead("add", "same @!%p1 bra DONE;", "multicast-peer", "request",
                  "deadlock request-in-flight-at-exit"),
          instead("init", "@%p2 mbarrier.init.shared::cta.b64 [%bar], 1;",
                  "barrier-not-initialised", ""),
          {{{"init", ""}, {"first_wait", "same @%leader mbarrier.init.shared::cta.b64 [%bar], 1;"}},
           "barrier-not-initialised",
           "",
           kAfterRace},
          instead("first_arrive", "barrier.cluster.arrive.relaxed;", "barrier-not-initialised",
                  "request", kAfterRace),
          without("leave", "decode-of-failure", "decode", kAfterPoison),
          instead("decode", "mov.u32 %tile, 0;", "stolen-block-dropped", "request"),
          instead("visit", "same bra DONE;", "request-in-flight-at-exit", "request",
                  "stolen-block-dropped multicast-peer"),
          instead("response_at", "mov.u32 %response, response+8;", "bad-address", "request"),
          instead("request",
                  "mapa.shared::cluster.u32 %r12, %response, 1; @%p2 "
                  "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"
                  "bytes.multicast::cluster::all.b128 [%r12], [%bar];",
                  "bad-address", "request"),
      });
}

TEST_CASE("cluster without a barrier in its loop") {
  const std::string free = "@%leader mbarrier.arrive.";
  check(
      kClusterConsumers,
      {
          instead("free", (free + "relaxed.cluster.shared::cluster.b64 _, [%r7];").c_str(),
                  "response-overwritten", "request", kAfterRace),
          instead("free", (free + "release.cta.shared::cluster.b64 _, [%r7];").c_str(),
                  "response-overwritten", "request", kAfterRace),
          instead("free",
                  "and.pred %p2, %p1, %leader; @%p2 mbarrier.arrive.release.cluster.shared::"
                  "cluster.b64 _, [%r7], 2;",
                  "response-overwritten", "request", kAfterRace),
          instead("wait_empty",
                  "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%r6], %r5;",
                  "response-overwritten", "request", kAfterRace),
          instead("wait_empty",
                  "mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %done, [%r6], %r5;",
                  "response-overwritten", "request", kAfterRace),
          instead("wait_empty", "setp.eq.u32 %done, %tid, %tid;", "response-overwritten", "request",
                  kAfterRace),
          without("flip_empty", "barrier-phase", "wait_empty", kAfterRace),
          without("together", "response-overwritten", "request", kAfterRace),
          without("fence", "missing-proxy-fence", "request"),
          instead("fence", "@%leader fence.proxy.async.shared::cta;", "missing-proxy-fence",
                  "request"),
          instead("fence", "@%p1 fence.proxy.async.shared::cta;", "missing-proxy-fence", "request"),
          {{{"fence", ""}, {"request", "fence.proxy.async.shared::cta; same"}},
           "missing-proxy-fence",
           "request"},
          instead("init2", "@%p2 mbarrier.init.shared::cta.b64 [%r6], 3;", "deadlock", ""),
          without("free", "deadlock", ""),
          without("init2", "barrier-not-initialised", "wait_empty"),
          {{{"first_arrive", ""}, {"first_wait", "bar.sync 0;"}},
           "multicast-peer",
           "request",
           "barrier-not-initialised response-not-complete"},
          without("leave", "decode-of-failure", "decode", kAfterPoison),
      });
}

TEST_CASE("shared memory without requests") {
  check(kReverse,
        {
            without("sync", "data-race", "read", "uninitialised-read"),
            without("sync2", "data-race", "write2"),
            without("sync3", "data-race", "read2"),
            instead("sync", "bar.warp.sync 0xffffffff;", "data-race", "read", "uninitialised-read"),
            instead("sync", "fence.acq_rel.cta;", "data-race", "read", "uninitialised-read"),
            instead("write", "@%leader st.shared.u32 [%r3], %tid;", "uninitialised-read", ""),
            instead("write", "st.shared.u32 [%r3+2], %tid;", "misaligned", "write"),
            instead("write", "st.shared.u32 [%r3+4096], %tid;", "out-of-bounds", "write"),
            {{{"sync2", "setp.lt.u32 %p2, %tid, 7; @%p2 bar.sync 0;"}},
             "block-barrier-divergence",
             "",
             "data-race deadlock"},
            {{{"sync2", "same @%leader bra DONE;"}},
             "block-barrier-divergence",
             "sync3",
             "data-race"},
        });
  check(kLanes,
        {
            without("meet", "data-race", "read"),
            instead("meet", "bar.warp.sync 0x1;", "warp-sync-mask", "meet"),
            without("sync", "data-race", "count"),
            without("sync2", "data-race", "read_count"),
            instead("count",
                    "ld.shared.u32 %r10, [%r8]; add.u32 %r10, %r10, 1; st.shared.u32 [%r8], "
                    "%r10;",
                    "data-race", "count"),
            without("zero", "uninitialised-read", ""),
        });
}

TEST_CASE("masks that never meet") {
  check(kGrowingMasks,
        {
            instead("meet", "shl.b32 %r9, 2, %tid; or.b32 %r7, %r7, %r9; bar.warp.sync %r7;",
                    "warp-sync-mask", "meet"),
            instead("meet", "bar.warp.sync %r2;", "warp-sync-mask", "meet"),
        });
  check(kMatchMasks, {instead("meet", "or.b32 %r7, %r7, 4; match.any.sync.b32 %r9, %r5, %r7;",
                              "warp-sync-mask", "meet")});
}

TEST_CASE("instructions of a warp that are no barrier") {
  const char* const kNoBarriers[] = {
      "shfl.sync.idx.b32 %r13, %tid, 0, 31, 0xffffffff;",
      "vote.sync.any.pred %p4, %leader, 0xffffffff;",
      "vote.sync.ballot.b32 %r13, %leader, 0xffffffff;",
      "match.any.sync.b32 %r13, %tid, 0xffffffff;",
      "redux.sync.add.u32 %r13, %tid, 0xffffffff;",
      "elect.sync _|%p4, 0xffffffff;",
  };
  for (const char* text : kNoBarriers) {
    check(kLanes, {instead("meet", text, "data-race", "read")});
    check(kWarpSpecialised,
          {instead("together", text, "response-overwritten", "request", "missing-proxy-fence")});
  }
}

TEST_CASE("lanes that give nothing") {
  check(kHalfShuffle, {
                          instead("choose", "mov.u32 %r6, %r5;", "warp-sync-mask", "keep"),
                          instead("choose", "setp.eq.u32 %p3, %r5, 3; @%p3 bra DONE;",
                                  "warp-sync-mask", "choose", "uninitialised-read"),
                          instead("shuffle", "shfl.sync.idx.b32 %r5, %r4, 20, 31, 0xffff;",
                                  "warp-sync-mask", "keep"),
                      });
}

TEST_CASE("one barrier, two numbers of threads") {
  check(
      kNamedBarrier,
      {
          instead("arrive", "bar.arrive 1, 96;", "block-barrier-divergence", "",
                  "data-race deadlock"),
          instead("sync", "bar.sync 1, 96;", "block-barrier-divergence", "", "data-race deadlock"),
          {{{"join", ""}, {"again", "setp.ge.u32 %p1, %tid, 64; @%p1 bar.sync 1, 64;"}},
           "block-barrier-divergence",
           "",
           "deadlock data-race"},
      });
}

TEST_CASE("values that nobody has written, on their way") {
  const char* const kHalf = "setp.lt.u32 %p4, %tid, 40; @%p4 st.shared.u32 [%r3], %tid;";
  check(kTree, {
                   instead("write",
                           "setp.lt.u32 %p4, %tid, 40; @%p4 st.shared.u32 [%r3], %tid; "
                           "ld.shared.u32 %r9, [%r3]; setp.ne.u32 %p5, %r9, 7; or.pred %p5, %p5, "
                           "%p4; @%p5 bra JOIN; JOIN: st.shared.u32 [%r3], 2;",
                           "uninitialised-read", "write"),
                   instead("write", kHalf, "uninitialised-read", "keep"),
                   instead("write", "setp.gt.u32 %p4, %tid, 1; @%p4 st.shared.u32 [%r3], %tid;",
                           "uninitialised-read", "keep"),
               });
  check(kWarpSum,
        {
            instead("write", kHalf, "uninitialised-read", "keep"),
            without("zero", "uninitialised-read", "keep"),
            {{{"write", kHalf}, {"sum", "shfl.sync.idx.b32 %r6, %r5, 31, 31, 0xffffffff;"}},
             "uninitialised-read",
             "keep"},
            {{{"write", kHalf},
              {"sum", "match.any.sync.b32 %r6, %r5, 0xffffffff;"},
              {"keep", "@%leader st.global.u32 [%visits], %r8;"}},
             "uninitialised-read",
             "keep"},
            {{{"write", kHalf},
              {"sum", "setp.gt.u32 %p5, %r5, 7; vote.sync.ballot.b32 %r6, %p5, 0xffffffff;"}},
             "uninitialised-read",
             "keep"},
            {{{"write", kHalf}, {"keep", "setp.eq.u32 %p4, %r8, 3; @%p4 bra DONE;"}},
             "uninitialised-read",
             "keep"},
        });
  check(kBulkStore, {instead("write", "setp.lt.u32 %p4, %tid, 16; @%p4 st.shared.u32 [%r3], %tid;",
                             "uninitialised-read", "copy"),
                     instead("write", "st.shared.u32 [%r3], %r19;", "uninitialised-read", "copy")});
}

TEST_CASE("bulk copies to global memory") {
  check(kBulkStore,
        {
            without("fence", "missing-proxy-fence", "copy"),
            instead("fence", "fence.proxy.async.global;", "missing-proxy-fence", "copy"),
            instead("fence", "fence.acq_rel.cta;", "missing-proxy-fence", "copy"),
            without("sync", "data-race", "copy", "missing-proxy-fence uninitialised-read"),
            without("hand_back", "data-race", "write"),
            without("wait_read", "data-race", "write"),
            instead("wait_read", "cp.async.bulk.wait_group.read 1;", "data-race", "write"),
            instead("wait_read", "cp.async.wait_all;", "data-race", "write"),
            without("commit", "data-race", "write"),
            without("wait", "data-race", "read"),
            instead("wait", "cp.async.bulk.wait_group.read 0;", "data-race", "read"),
            {{{"wait", ""}, {"read", "st.global.u32 [%rd1-128], 5;"}}, "data-race", "read"},
            instead("copy",
                    "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 128; "
                    "cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r1], 128;",
                    "data-race", "copy"),
        });
  check(kBulkStoreTwice,
        {
            instead("wait_read", "@%leader cp.async.bulk.wait_group.read 2;", "data-race", "write"),
            without("wait_read", "data-race", "write"),
            without("meet", "data-race", "write"),
            without("meet2", "data-race", "copy", "missing-proxy-fence uninitialised-read"),
            without("fence", "missing-proxy-fence", "copy"),
            without("commit", "data-race", "write"),
            without("drain", "data-race", "copy"),
        });
}

TEST_CASE("bulk copies of some bytes") {
  check(
      kMaskedStore,
      {
          instead("mask", "selp.b16 %mask, 0x7f, 0xffc0, %p1;", "data-race", "copy"),
          instead("mask", "mov.b16 %mask, 0xffff;", "data-race", "copy"),
          without("fence", "missing-proxy-fence", "copy"),
          without("sync", "data-race", "copy", "missing-proxy-fence uninitialised-read"),
          instead("write", "st.shared.u32 [%r3], %r19;", "uninitialised-read", "copy"),
          {{{"wait", "st.global.u8 [%rd1+3], 5; st.global.u8 [%rd1+12], 5;"}}, "data-race", "wait"},
      });
}

TEST_CASE("groups of cp.async") {
  check(kCopyGroups,
        {
            without("wait", "data-race", "read"),
            instead("wait", "cp.async.wait_group 2;", "data-race", "read"),
            instead("wait", "cp.async.bulk.wait_group 0;", "data-race", "read"),
            without("sync", "data-race", "read"),
            without("commit", "data-race", "read"),
            without("commit2", "data-race", "own"),
            without("wait2", "data-race", "own"),
            instead("wait2", "cp.async.wait_group 1;", "data-race", "own"),
            without("sync2", "data-race", ""),
            instead("wait2", "st.shared.u32 [%r3+256], %tid; same", "data-race", "wait2"),
            instead("wait", "st.global.u32 [%rd4], %tid; same", "data-race", "wait"),
            instead("copy2", "same cp.async.ca.shared.global [%r3+256], [%rd4], 4;", "data-race",
                    "copy2"),
        });
  check(
      kCopyTail,
      {without("wait", "data-race", "read"),
       instead("copy", "cp.async.ca.shared.global [%r3], [%rd4], 4; @!%p1 st.global.u32 [%rd4], 3;",
               "data-race", "copy")});
}

TEST_CASE("global memory") {
  check(kMessage,
        {
            without("fence", "data-race", "read"),
            instead("fence", "fence.acquire.gpu;", "data-race", "read"),
            instead("fence", "fence.acq_rel.cta;", "data-race", "read"),
            instead("fence", "fence.acq_rel.cluster;", "data-race", "read"),
            instead("fence", "membar.cta;", "data-race", "read"),
            instead("fence", "fence.mbarrier_init.release.cluster;", "data-race", "read"),
            instead("send", "st.relaxed.cta.global.u32 [%visits+4], 1;", "data-race", "read"),
            instead("receive", "ld.acquire.cta.global.u32 %r5, [%visits+4];", "data-race", "read"),
            instead("receive", "ld.acquire.cluster.global.u32 %r5, [%visits+4];", "data-race",
                    "read"),
            instead("receive", "ld.relaxed.gpu.global.u32 %r5, [%visits+4]; fence.acq_rel.cta;",
                    "data-race", "read"),
            instead("send", "st.global.u32 [%visits+4], 1;", "data-race", ""),
            instead("receive", "ld.relaxed.gpu.global.u32 %r5, [%visits+4];", "data-race", "read"),
            {{{"receive", "ld.global.u32 %r5, [%visits+4];"}}, "data-race", ""},
            instead("write", "same st.global.u32 [%visits+4096], 7;", "out-of-bounds", ""),
            instead("write", "st.global.u32 [%visits+8], %r19;", "uninitialised-read", "write"),
        });
  check(kLastBlock,
        {
            without("fence", "data-race", "read"),
            {{{"fence", ""}, {"fence2", ""}}, "data-race", "read"},
            instead("fence", "fence.acq_rel.cta;", "data-race", "read"),
            instead("ticket", "atom.cta.global.inc.u32 %r7, [%visits+256], %r6;", "data-race", "",
                    "uninitialised-read"),
            instead("ticket", "ld.global.u32 %r7, [%visits+256]; st.global.u32 [%visits+256], 5;",
                    "data-race", "ticket"),
            without("sync", "data-race", "", "uninitialised-read"),
            instead("write", "st.global.u32 [%visits], %r4;", "data-race", "write"),
            instead("ticket", "same st.global.u32 [%visits+256], 0;", "data-race", "ticket"),
        });
}

TEST_CASE("distributed shared memory") {
  check(kDistributed,
        {
            {{{"first_arrive", ""}, {"first_wait", "bar.sync 0;"}},
             "out-of-bounds",
             "read",
             "uninitialised-read"},
            instead("write", "same st.shared::cluster.u32 [%r4], 1;", "out-of-bounds", "write",
                    "data-race"),
            instead("write", "same atom.shared::cluster.add.u32 %r9, [%r4], 1;", "out-of-bounds",
                    "write", "data-race"),
            instead("first_arrive",
                    "fence.mbarrier_init.release.cluster; barrier.cluster.arrive.relaxed;",
                    "data-race", "read"),
            instead("first_arrive", "barrier.cluster.arrive.relaxed;", "data-race", "read"),
            instead("first_arrive", "fence.acq_rel.cta; barrier.cluster.arrive.relaxed;",
                    "data-race", "read"),
            {{{"last_arrive", ""}, {"last_wait", ""}}, "out-of-bounds", "read"},
            {{{"last_arrive", ""}, {"last_wait", "bar.sync 0;"}}, "out-of-bounds", "read"},
            // Of .shared::cta, where the bytes do not lie.
            {{{"read", "st.shared::cluster.u32 [%r4], 1; fence.proxy.async.shared::cta;"},
              {"last_wait", "same " + kStoreAway}},
             "missing-proxy-fence",
             "last_wait"},
        });
  check(kFenceFirst, {
                         without("fence", "data-race", "read"),
                         without("sync", "data-race", "read"),
                         instead("fence", "fence.acq_rel.cluster;", "data-race", "read"),
                         without("sync2", "data-race", "read"),
                     });
}

TEST_CASE("bulk copies") {
  check(kBulkCopy,
        {
            instead("wait", "setp.eq.u32 %done, %tid, %tid;", "data-race", "",
                    "barrier-phase missing-proxy-fence deadlock"),
            without("fence", "missing-proxy-fence", "copy"),
            without("hand_back", "data-race", "copy", "barrier-phase deadlock"),
            instead("arm", "mbarrier.arrive.expect_tx.shared::cta.b64 %rd5, [%bar], 240;",
                    "deadlock", "wait"),
            without("init", "barrier-not-initialised", ""),
            instead("init", "add.u32 %bar, %r1, 64; same", "barrier-reinitialised", "copy",
                    "barrier-not-initialised data-race"),
        });
}

TEST_CASE("asynchronous copies by threads") {
  check(
      kAsyncCopy,
      {
          instead("wait", "setp.eq.u32 %done, %tid, %tid;", "data-race", "read"),
          instead("wait", "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %done, [%bar], 0;",
                  "data-race", "read"),
          without("arrive", "deadlock", "wait"),
          instead("arrive", "mbarrier.arrive.shared.b64 %rd7, [%bar];", "data-race", "read"),
          without("sync", "barrier-not-initialised", ""),
      });
}

TEST_CASE("memory that was freed, or never filled") {
  const Template text(R"(
.visible .entry kernel(.param .u64 data) {
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [data];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd1, %rd1, %rd2;
read| ld.global.u32 %r2, [%rd1];
add.u32 %r2, %r2, 1;
write| st.global.u32 [%rd1], %r2;
count| red.global.add.u32 [%rd1], 1;
ret;
}
)");
  const auto found = [&](const std::vector<Edit>& edits, std::size_t filled, bool freed) {
    const Result result = run_on_buffer(text.module(edits), 32, filled, freed);
    return summary(result, text);
  };
  CHECK(found({}, 32, false) == "");
  CHECK(found({}, 32, true) == "use-after-free@read ");
  CHECK(found({}, 0, false) == "uninitialised-read@write ");
  CHECK(found({}, 20, false) == "uninitialised-read@write ");
  CHECK(found({{"read", ""}, {"write", ""}}, 20, false) == "uninitialised-read@count ");
  CHECK(found({{"read", ""}, {"write", ""}, {"count", "red.global.add.u32 [%rd1+4], 1;"}}, 32,
              false) == "out-of-bounds@count ");
  CHECK(found({{"read", "mov.u32 %r2, 1;"}}, 0, false) == "");
  CHECK(found({{"write", ""}, {"count", "st.global.u32 [%rd1], 7;"}}, 0, false) == "");
}

TEST_CASE("defects that need a schedule") {
  // try_wait may return false without a cause: only a hostile schedule does that.
  check_explored(kGuideLoop, {without("again", "response-not-complete", "read")});
  check_explored(kLibcuStyle, {without("again", "response-not-complete", "read")});
  // In the natural schedule the first of two requests is never the only one that wins.
  check_explored(kTwoRequesters,
                 {instead("both", "mov.pred %p3, %won;", "request-after-failure", "request")});
}
