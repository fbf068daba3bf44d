// No kernel reaches memory of the host: accesses whose addresses meet one window after
// the other, two in one warp, or either end of the address space get the oracle's
// verdict, and no byte around the block's shared memory changes.
#include <gtest/gtest.h>

#include <functional>

#include "engine_run.h"
#include "simt/lanes/step.h"

namespace minitorch::simt {
namespace {

constexpr uint64_t kShared = kSharedWindow + kSharedBase;
constexpr uint64_t kLocal = kLocalWindow + kLocalBase;
constexpr uint32_t kSharedBytes = 1024;

/// `visit` lets lane t use table[round][t] as an address, round after round.
/// BASE stands for where shared memory begins in its own space.
std::string with_base(std::string text) {
  const std::string base = std::to_string(kSharedBase);
  for (size_t at; (at = text.find("BASE")) != std::string::npos;) {
    text.replace(at, 4, base);
  }
  return text;
}

std::string visiting(const std::string& access) {
  return module_text(R"(
.visible .entry visit(.param .u64 table, .param .u32 rounds) {
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<12>;
  .shared .align 16 .b8 tile[1024];
  .local .align 16 .b8 own[64];
  ld.param.u64 %rd1, [table];
  ld.param.u32 %r2, [rounds];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd2, %rd1, %rd2;
  mov.u64 %rd9, tile;
  mov.u64 %rd8, own;
again:
  ld.global.u64 %rd3, [%rd2];
  )" + with_base(access) +
                     R"(
  add.s64 %rd2, %rd2, 256;
  add.s32 %r2, %r2, -1;
  setp.ne.s32 %p1, %r2, 0;
  @%p1 bra again;
  ret;
})");
}

using Addresses = std::function<uint64_t(uint32_t lane)>;

/// A row of addresses: where lanes look, and whether all may.
struct Place {
  const char* name;
  Addresses of;
};

class AddressWindows : public testing::TestWithParam<const char*> {
 protected:
  static MtFindingKind stopped_by(const Outcome& outcome) {
    return outcome.stopped() ? static_cast<MtFindingKind>(outcome.findings[0].kind)
                             : MtFindingKind(-1);
  }

  /// The same verdict from the engine, with and without all checks, and the oracle.
  /// Where lanes are wrong in different ways, the engine tells of one window and the
  /// oracle of the first thread: then all that counts is that both stop.
  void compare(Machine& machine, const std::vector<Addresses>& rounds,
               const std::string& what, bool one_way = true) {
    std::vector<uint64_t> table;
    for (const Addresses& round : rounds) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) table.push_back(round(lane));
    }
    Launch launch = machine.launch("visit", {1}, {32}, machine.upload(table),
                                   static_cast<uint32_t>(rounds.size()));
    const MtFindingKind expected = stopped_by(run_scalar(launch));
    for (const uint32_t checks : {uint32_t{0}, uint32_t{MtCheck_All}}) {
      launch.checks = checks;
      const MtFindingKind found = stopped_by(run(launch));
      const std::string where =
          std::string(GetParam()) + ", " + what + ", checks " + std::to_string(checks);
      EXPECT_EQ(found == MtFindingKind(-1), expected == MtFindingKind(-1)) << where;
      if (one_way) {
        EXPECT_EQ(found, expected) << where;
      }
    }
  }
};

TEST_P(AddressWindows, EachWindowKeepsItsOwnBounds) {
  Machine machine(visiting(GetParam()));
  const uint64_t cells = machine.upload(std::vector<uint64_t>(128, 3));
  const auto at = [](uint64_t base, uint64_t pitch) {
    return [=](uint32_t lane) { return base + pitch * lane; };
  };
  const std::vector<Place> fine = {{"global", at(cells, 16)},
                                   {"one global cell", at(cells, 0)},
                                   {"shared", at(kShared, 16)},
                                   {"local", at(kLocal, 0)}};
  const std::vector<Place> then = {
      {"null + i", at(0, 16)},
      {"one null", at(16, 0)},
      {"offsets of shared memory", at(512, 16)},
      {"the last bytes", at(0 - uint64_t{512}, 16)},
      {"one of the last bytes", at(0 - uint64_t{16}, 0)},
      {"both sides of null", at(0 - uint64_t{256}, 16)},
      {"past shared", at(kShared + kSharedBytes - 256, 16)},
      {"before shared", at(kShared - 256, 16)},
      {"past local", at(kLocal + 64, 0)},
      {"before local", at(kLocal - 16, 0)},
      {"past global", at(cells + 1024 - 256, 16)},
      {"before global", at(cells - 256, 16)},
      {"the window of functions", at(kFunctionWindow, 16)},
      {"no window", at(uint64_t{9} << 56, 16)}};
  for (const Place& first : fine) {
    for (const auto* places : {&fine, &then}) {
      for (const Place& second : *places) {
        const std::string what = std::string(first.name) + " then " + second.name;
        compare(machine, {first.of, second.of, first.of}, what);
        const auto odd_lanes = [&](uint32_t lane) {
          return lane % 2 ? second.of(lane) : first.of(lane);
        };
        compare(machine, {odd_lanes}, what + ", by turns", false);
        compare(machine, {first.of, odd_lanes}, what + ", by turns afterwards", false);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Accesses, AddressWindows,
                         testing::Values("ld.u32 %r4, [%rd3];", "ld.u8 %r4, [%rd3+16];",
                                         "ld.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];",
                                         "ld.u64 %rd4, [%rd3+-16];",
                                         "st.u32 [%rd3], %r1;",
                                         "st.v2.u64 [%rd3+-16], {%rd1, %rd2};",
                                         "atom.add.u32 %r4, [%rd3], 1;",
                                         "atom.cas.b64 %rd4, [%rd3+16], 0, 1;",
                                         "red.add.u64 [%rd3+-16], 1;",
                                         "atom.exch.b32 %r4, [%rd3], 7;"));

class GlobalEnds : public AddressWindows {};

TEST_P(GlobalEnds, NoSumPassesTheEndOfTheAddressSpace) {
  Machine machine(visiting(GetParam()));
  const uint64_t cells = machine.upload(std::vector<uint64_t>(128, 3));
  for (const uint64_t back : {4, 8, 16, 64, 128, 512}) {
    for (const uint64_t pitch : {0, 4, 8, 16}) {
      const auto top = [=](uint32_t lane) { return 0 - back + pitch * lane; };
      const auto fine = [=](uint32_t lane) { return cells + 16 * lane; };
      const std::string what =
          std::to_string(back) + " below the end by " + std::to_string(pitch);
      compare(machine, {fine, top}, what, false);
      compare(machine, {top}, what + " first", false);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Accesses, GlobalEnds,
    testing::Values("ld.global.u32 %r4, [%rd3];", "ld.global.u64 %rd4, [%rd3+8];",
                    "st.global.v4.u32 [%rd3], {%r1, %r1, %r1, %r1};",
                    "atom.global.add.u32 %r4, [%rd3], 1;",
                    "atom.global.add.u64 %rd4, [%rd3], 1;",
                    "red.global.add.u32 [%rd3+4], 1;",
                    "atom.global.cas.b64 %rd4, [%rd3], 0, 1;"));

/// Addresses that follow each other modulo 2^64: half of the warp is before offset 0.
class SharedEnds : public AddressWindows {};

TEST_P(SharedEnds, AHalfWarpBeforeTheStartIsOutside) {
  Machine machine(visiting(GetParam()));
  for (const uint64_t back : {4, 16, 32, 48, 64, 80}) {
    for (const uint64_t pitch : {4, 8, 16}) {
      const auto first = [](uint32_t) { return uint64_t{0}; };
      const auto halves = [=](uint32_t lane) {
        const uint64_t base = lane < 16 ? uint64_t{0} : 0 - back;
        return base + pitch * (lane % 16);
      };
      const auto last_half = [=](uint32_t lane) {
        return (lane < 16 ? 0 - back : uint64_t{0}) + pitch * (lane % 16);
      };
      const std::string what =
          std::to_string(back) + " before the start by " + std::to_string(pitch);
      compare(machine, {first, halves}, what);
      compare(machine, {first, last_half}, what + ", first half");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Accesses, SharedEnds,
    testing::Values("ld.shared.u32 %r4, [%rd3+BASE];",
                    "st.shared.u32 [%rd3+BASE], %r1;",
                    "st.shared.v4.u32 [%rd3+BASE], {%r1, %r1, %r1, %r1};",
                    "atom.shared.add.u32 %r4, [%rd3+BASE], 1;"));

TEST(AddressRows, LanesThatDoNotExecuteMayHoldAnything) {
  // The addresses of lanes 0 and 1 are below 0: they pass the end of 32 bits.
  Machine machine(with_base(module_text(R"(
.visible .entry shifted(.param .u64 out) {
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 16 .b8 tile[1024];
  ld.param.u64 %rd1, [out];
  mov.u64 %rd3, tile;
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  add.s32 %r3, %r2, -8;
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra skip;
  st.shared.u32 [%r3+BASE], %r1;
  ld.shared.u32 %r4, [%r3+BASE];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd2, %rd1, %rd2;
  st.global.u32 [%rd2], %r4;
skip:
  ret;
})")));
  const uint64_t out = machine.upload(std::vector<uint32_t>(32, 77));
  for (const uint32_t checks : {uint32_t{0}, uint32_t{MtCheck_All}}) {
    Launch launch = machine.launch("shifted", {1}, {32}, out);
    launch.checks = checks;
    const Outcome outcome = run(launch);
    EXPECT_TRUE(outcome.findings.empty()) << outcome.findings[0].detail;
    const auto got = machine.download<uint32_t>(out, 32);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(got[lane], lane < 2 ? 77u : lane) << "checks " << checks;
    }
  }
}

}  // namespace
}  // namespace minitorch::simt
