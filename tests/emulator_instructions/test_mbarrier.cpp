// mbarrier instructions on both engines: states, phases and pending counts as the PTX
// ISA defines them, and every misuse with its kind. Expected words follow from the ISA.
#include <gtest/gtest.h>

#include <cstring>

#include "ptx/decode.h"
#include "simt/program/launch.h"

namespace {

using minitorch::simt::Launch;
using minitorch::simt::LoadedModule;
using minitorch::simt::Memory;
using minitorch::simt::Outcome;
namespace ptx = minitorch::ptx;

struct BarrierEngine {
  const char* name;
  Outcome (*run)(const Launch&);
};
constexpr uint32_t kBarrierWords = 128;

struct BarrierResult {
  std::vector<MtFinding> findings;
  std::vector<uint32_t> words;
};

/// A kernel of `threads` with `sm` in shared memory; %rd0 holds the address of
/// kBarrierWords words, of which the first half count up from 100, %r0 the thread.
BarrierResult run_lines(const std::string& lines, uint32_t threads,
                        const BarrierEngine& engine) {
  const std::string text =
      ".version 8.6\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 out)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n"
      ".shared .align 16 .b8 sm[1024];\n"
      "ld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n" +
      lines + "\nret;\n}\n";
  LoadedModule module{ptx::decode(text), {}};
  module.variable_address.resize(module.module->variables.size());
  Memory memory(uint64_t{16} << 20);
  const uint64_t out = memory.allocate(kBarrierWords * 4);
  auto* const words = reinterpret_cast<uint32_t*>(out);
  for (uint32_t i = 0; i < kBarrierWords; ++i)
    words[i] = i < kBarrierWords / 2 ? 100 + i : 0;
  memory.mark_written(out, kBarrierWords * 4);
  Launch launch;
  launch.module = &module;
  launch.function = module.module->find_function("k");
  launch.code = make_code(module, launch.function);
  launch.block = {threads, 1, 1};
  launch.memory = &memory;
  launch.profile = minitorch::base::find_card_profile("a100");
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &out, 8);
  BarrierResult result{engine.run(launch).findings, {}};
  result.words.assign(words, words + kBarrierWords);
  return result;
}

class MbarrierInstructions : public testing::TestWithParam<BarrierEngine> {
 protected:
  std::vector<uint32_t> run_clean(const std::string& lines, uint32_t threads) {
    const BarrierResult result = run_lines(lines, threads, GetParam());
    for (const MtFinding& finding : result.findings) {
      ADD_FAILURE() << "kind " << finding.kind << ' ' << finding.detail;
    }
    return result.words;
  }
};

/// Lines that store a predicate, or how many arrivals a state still lacks.
std::string keep(const std::string& predicate, int word) {
  return "selp.u32 %r30, 1, 0, " + predicate + ";\nst.global.u32 [%rd0+" +
         std::to_string(4 * word) + "], %r30;\n";
}
std::string keep_pending(const std::string& state, int word) {
  return "mbarrier.pending_count.b64 %r30, " + state + ";\nst.global.u32 [%rd0+" +
         std::to_string(4 * word) + "], %r30;\n";
}

TEST_P(MbarrierInstructions, PhasesEndWhenAllHaveArrived) {
  const auto words = run_clean(
      "mbarrier.init.shared.b64 [sm], 3;\n"
      "mbarrier.arrive.shared.b64 %rd1, [sm];\n" +
          keep_pending("%rd1", 0) + "mbarrier.test_wait.shared.b64 %p1, [sm], %rd1;\n" +
          keep("%p1", 1) + "mbarrier.test_wait.parity.shared.b64 %p1, [sm], 0;\n" +
          keep("%p1", 2) + "mbarrier.test_wait.parity.shared.b64 %p1, [sm], 1;\n" +
          keep("%p1", 3) + "mbarrier.arrive.noComplete.shared.b64 %rd2, [sm], 1;\n" +
          keep_pending("%rd2", 4) +
          // The last one of this phase, and there is one fewer from the next one on.
          "mbarrier.arrive_drop.shared.b64 %rd3, [sm];\n" + keep_pending("%rd3", 5) +
          "mbarrier.test_wait.shared.b64 %p1, [sm], %rd1;\n" + keep("%p1", 6) +
          "mbarrier.try_wait.shared.b64 %p1, [sm], %rd3, 20;\n" + keep("%p1", 7) +
          "mbarrier.try_wait.parity.shared.b64 %p1, [sm], 0;\n" + keep("%p1", 8) +
          "mbarrier.test_wait.parity.shared.b64 %p1, [sm], 1;\n" + keep("%p1", 9) +
          "mbarrier.arrive.release.cta.shared.b64 %rd4, [sm], 1;\n" +
          keep_pending("%rd4", 10) +
          "mbarrier.test_wait.acquire.cta.shared.b64 %p1, [sm], %rd4;\n" +
          keep("%p1", 11) +
          "mbarrier.arrive.shared.b64 _, [sm];\n"
          "mbarrier.test_wait.shared.b64 %p1, [sm], %rd4;\n" +
          keep("%p1", 12) + "mbarrier.arrive.shared.b64 %rd5, [sm], 2;\n" +
          keep_pending("%rd5", 13) +
          "mbarrier.inval.shared.b64 [sm];\n"
          "mbarrier.init.shared.b64 [sm], 1048575;\n"
          "mbarrier.arrive_drop.noComplete.shared.b64 %rd6, [sm], 1048570;\n"
          "mbarrier.arrive.shared.b64 %rd6, [sm], 5;\n" +
          keep_pending("%rd6", 14) + "mbarrier.arrive.shared.b64 %rd7, [sm];\n" +
          keep_pending("%rd7", 15),
      1);
  const std::vector<uint32_t> expected = {3, 0, 0, 1, 2, 1, 1, 1,
                                          1, 0, 2, 0, 1, 2, 5, 5};
  EXPECT_EQ(std::vector<uint32_t>(words.begin(), words.begin() + 16), expected);
}

// Each thread reads what thread 63 - t wrote; by generic addresses, too.
TEST_P(MbarrierInstructions, WhoWaitsSeesWhatWasThereAtTheArrivals) {
  for (const bool generic : {false, true}) {
    const std::string space = generic ? "" : ".shared", at = generic ? "%rd9" : "sm+64";
    const auto words = run_clean(
        "cvta.shared.u64 %rd9, sm;\nadd.u64 %rd9, %rd9, 64;\n"
        "setp.ne.u32 %p1, %r0, 63;\n@%p1 bra MADE;\n"
        "mbarrier.init" +
            space + ".b64 [" + at +
            "], 64;\nMADE:\nbar.sync 0;\n"
            "mov.u32 %r1, sm;\nshl.b32 %r2, %r0, 2;\nadd.u32 %r3, %r1, %r2;\n"
            "st.shared.u32 [%r3+128], %r0;\n"
            "mbarrier.arrive" +
            space + ".b64 %rd1, [" + at +
            "];\n"
            "AGAIN:\nmbarrier.try_wait" +
            space + ".b64 %p2, [" + at +
            "], %rd1;\n"
            "@!%p2 bra AGAIN;\n"
            "sub.u32 %r4, 252, %r2;\nadd.u32 %r5, %r1, %r4;\n"
            "ld.shared.u32 %r6, [%r5+128];\n"
            "cvt.u64.u32 %rd2, %r2;\nadd.u64 %rd3, %rd0, %rd2;\n"
            "st.global.u32 [%rd3+256], %r6;\n",
        64);
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(words[64 + t], 63 - t) << generic;
  }
}

// Each thread copies a word; .noinc counts as its arrival, the other form does not.
TEST_P(MbarrierInstructions, PhasesWaitForCopies) {
  for (const bool counted : {false, true}) {
    const std::string arrive = counted
                                   ? "cp.async.mbarrier.arrive.noinc.shared.b64 [sm];\n"
                                   : "cp.async.mbarrier.arrive.shared.b64 [sm];\n"
                                     "mbarrier.arrive.shared.b64 _, [sm];\n";
    const auto words = run_clean(
        "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra MADE;\n"
        "mbarrier.init.shared.b64 [sm], 64;\nMADE:\nbar.sync 0;\n"
        "mov.u32 %r1, sm;\nshl.b32 %r2, %r0, 2;\nadd.u32 %r3, %r1, %r2;\n"
        "cvt.u64.u32 %rd2, %r2;\nadd.u64 %rd3, %rd0, %rd2;\n"
        "cp.async.ca.shared.global [%r3+128], [%rd3], 4;\n" +
            arrive +
            "AGAIN:\nmbarrier.test_wait.parity.shared.b64 %p2, [sm], 0;\n"
            "@!%p2 bra AGAIN;\n"
            "sub.u32 %r4, 252, %r2;\nadd.u32 %r5, %r1, %r4;\n"
            "ld.shared.u32 %r6, [%r5+128];\n"
            "st.global.u32 [%rd3+256], %r6;\n",
        64);
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(words[64 + t], 163 - t) << counted;
  }
}

// The copy has not arrived before its phase is over, whoever could have waited for it.
TEST_P(MbarrierInstructions, CopiesDoNotArriveBeforeTheirPhaseIsOver) {
  const auto words = run_clean(
      "mbarrier.init.shared.b64 [sm], 1;\nmov.u32 %r1, sm;\n"
      "st.shared.u32 [sm+128], 7;\n"
      "cp.async.ca.shared.global [%r1+128], [%rd0], 4;\n"
      "cp.async.mbarrier.arrive.shared.b64 [sm];\n"
      "ld.shared.u32 %r2, [sm+128];\n"
      "mbarrier.arrive.shared.b64 _, [sm];\n"
      "ld.shared.u32 %r3, [sm+128];\n"
      "st.global.u32 [%rd0+4], %r2;\nst.global.u32 [%rd0+8], %r3;\n",
      1);
  EXPECT_EQ(words[1], 7u);
  EXPECT_EQ(words[2], 100u);
}

struct Misuse {
  const char* name;
  const char* lines;
  int32_t kind;
  const char* says;  // of the vector engine
};

class Misuses : public testing::TestWithParam<std::tuple<BarrierEngine, Misuse>> {};

TEST_P(Misuses, AreNamed) {
  const auto& [engine, misuse] = GetParam();
  const BarrierResult result = run_lines(misuse.lines, 1, engine);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, misuse.kind) << result.findings[0].detail;
  EXPECT_TRUE(result.findings[0].stopped);
  if (std::string(engine.name) != "vector") return;
  EXPECT_NE(std::string(result.findings[0].detail).find(misuse.says), std::string::npos)
      << result.findings[0].detail;
}

constexpr const char* kArrive = "mbarrier.arrive.shared.b64 %rd1, [sm];";
const Misuse kMisuses[] = {
    {"never_initialised", kArrive, MtFinding_UninitShared, "no mbarrier is here"},
    {"asked_before_it_is", "mbarrier.test_wait.parity.shared.b64 %p1, [sm], 0;",
     MtFinding_UninitShared, "no mbarrier is here"},
    {"invalidated",
     "mbarrier.init.shared.b64 [sm], 1;\nmbarrier.inval.shared.b64 [sm];\n"
     "mbarrier.arrive.shared.b64 %rd1, [sm];",
     MtFinding_UninitShared, "invalidated"},
    {"invalidated_twice",
     "mbarrier.init.shared.b64 [sm], 1;\nmbarrier.inval.shared.b64 [sm];\n"
     "mbarrier.inval.shared.b64 [sm];",
     MtFinding_UninitShared, "invalidated"},
    {"overwritten",
     "mbarrier.init.shared.b64 [sm], 1;\nst.shared.u32 [sm+4], 5;\n"
     "mbarrier.arrive.shared.b64 %rd1, [sm];",
     MtFinding_UninitShared, "overwritten"},
    {"copied_to_without_one", "cp.async.mbarrier.arrive.shared.b64 [sm];",
     MtFinding_UninitShared, "no mbarrier is here"},
    {"no_arrivals", "mbarrier.init.shared.b64 [sm], 0;", MtFinding_BarrierDivergence,
     "got 0 arrivals"},
    {"too_many_arrivals", "mbarrier.init.shared.b64 [sm], 1048576;",
     MtFinding_BarrierDivergence, "1 to 1048575"},
    {"more_than_wanted",
     "mbarrier.init.shared.b64 [sm], 3;\nmbarrier.arrive.shared.b64 %rd1, [sm], 4;",
     MtFinding_BarrierDivergence, "waits for 3 of 3"},
    {"none_at_a_time",
     "mbarrier.init.shared.b64 [sm], 3;\nmbarrier.arrive.shared.b64 %rd1, [sm], 0;",
     MtFinding_BarrierDivergence, "counts 0"},
    {"completes_although_it_may_not",
     "mbarrier.init.shared.b64 [sm], 2;\n"
     "mbarrier.arrive.noComplete.shared.b64 %rd1, [sm], 2;",
     MtFinding_BarrierDivergence, ".noComplete"},
    {"all_have_dropped",
     "mbarrier.init.shared.b64 [sm], 1;\nmbarrier.arrive_drop.shared.b64 %rd1, [sm];\n"
     "mbarrier.arrive.shared.b64 %rd1, [sm];",
     MtFinding_BarrierDivergence, "waits for 0 of 0"},
    {"an_old_state",
     "mbarrier.init.shared.b64 [sm], 1;\nmbarrier.arrive.shared.b64 %rd1, [sm];\n"
     "mbarrier.arrive.shared.b64 _, [sm];\n"
     "mbarrier.test_wait.shared.b64 %p1, [sm], %rd1;",
     MtFinding_BarrierDivergence, "neither the present nor the last phase"},
    {"no_state",
     "mbarrier.init.shared.b64 [sm], 1;\nmov.u64 %rd1, 0;\n"
     "mbarrier.test_wait.shared.b64 %p1, [sm], %rd1;",
     MtFinding_BarrierDivergence, "neither the present nor the last phase"},
    {"misaligned", "mbarrier.init.shared.b64 [sm+4], 1;", MtFinding_Misaligned, ""},
    {"outside", "mov.u32 %r1, sm;\nmbarrier.init.shared.b64 [%r1+1024], 1;",
     MtFinding_OobShared, ""},
    {"in_global_memory", "mbarrier.init.b64 [%rd0], 1;", MtFinding_OobShared, ""},
    {"nobody_else_comes",
     "mbarrier.init.shared.b64 [sm], 2;\nmbarrier.arrive.shared.b64 %rd1, [sm];\n"
     "AGAIN:\nmbarrier.test_wait.shared.b64 %p1, [sm], %rd1;\nmov.u64 %rd2, "
     "%globaltimer;\nmov.u64 %rd3, %clock64;\nnanosleep.u32 100;\n@!%p1 bra AGAIN;",
     MtFinding_Deadlock, "mbarrier 'sm' has 1 of 2 arrivals"},
    {"bulk_copies", "cp.async.bulk.commit_group;", MtFinding_Unsupported, "compute_80"},
    {"transactions", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [sm], 16;",
     MtFinding_Unsupported, "compute_80"},
    {"clusters", "barrier.cluster.arrive.aligned;", MtFinding_Unsupported, "clusters"},
    {"warp_groups", "wgmma.fence.sync.aligned;", MtFinding_Unsupported, "mma.sync"},
};

// A wait that ends by time, or by counting, is no deadlock.
TEST_P(MbarrierInstructions, WaitsMayHaveALimit) {
  const std::string start =
      "mbarrier.init.shared.b64 [sm], 2;\nmbarrier.arrive.shared.b64 %rd1, [sm];\n";
  const auto timed =
      run_clean(start +
                    "mov.u64 %rd2, %globaltimer;\n"
                    "AGAIN:\nmov.u64 %rd3, %globaltimer;\nsub.u64 %rd4, %rd3, %rd2;\n"
                    "setp.gt.u64 %p2, %rd4, 60000000000;\n@%p2 bra OVER;\n"
                    "mbarrier.test_wait.shared.b64 %p1, [sm], %rd1;\n@!%p1 bra AGAIN;\n"
                    "OVER:\nst.global.u32 [%rd0], 1;\n",
                1);
  EXPECT_EQ(timed[0], 1u);
  const auto counted =
      run_clean(start +
                    "mov.u32 %r1, 0;\nAGAIN:\nadd.u32 %r1, %r1, 1;\n"
                    "setp.gt.u32 %p2, %r1, 3000;\n@%p2 bra OVER;\n"
                    "mbarrier.test_wait.shared.b64 %p1, [sm], %rd1;\n@!%p1 bra AGAIN;\n"
                    "OVER:\nst.global.u32 [%rd0], 1;\n",
                1);
  EXPECT_EQ(counted[0], 1u);
}

const BarrierEngine kEngines[] = {{"scalar", minitorch::simt::run_scalar},
                                  {"vector", minitorch::simt::run}};

INSTANTIATE_TEST_SUITE_P(Engines, MbarrierInstructions, testing::ValuesIn(kEngines),
                         [](const auto& info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(Engines, Misuses,
                         testing::Combine(testing::ValuesIn(kEngines),
                                          testing::ValuesIn(kMisuses)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::get<1>(info.param).name;
                         });

}  // namespace
