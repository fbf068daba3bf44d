// Races on global memory between threads and blocks that only barriers, atomics and the
// launch's ends order. Expected values follow from the kernels' index arithmetic.
#include "races_run.h"

namespace minitorch::simt {
namespace {

class GlobalRaces : public RaceTest {
 protected:
  GlobalRaces() : RaceTest("races_global") {}
};

TEST_F(GlobalRaces, AMapIsSilent) {
  const uint64_t in = zeros(1000), out = zeros(1000);
  const auto found = find("map", {8}, {128}, out, in, 1000);
  EXPECT_TRUE(found.empty()) << text(found);
}

TEST_F(GlobalRaces, AMapInPlaceRacesWhenItReadsItsNeighbours) {
  const uint64_t data = zeros(1024);
  auto found = find("in_place", {8}, {128}, data, 1024, 0);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("in_place", {8}, {128}, data, 1024, 1);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceGlobal);
  EXPECT_EQ(lines(found[0]), pair("in_place", "in_place"));
  EXPECT_EQ(found[0].count, 8u);  // once in every block
  EXPECT_EQ(found[0].allocation_base, data);
  EXPECT_EQ(found[0].parameter_index, 0);
  // The last block has nothing to do; the six pairs of the others share whole blocks.
  found = find("in_place", {8}, {128}, data, 1024, 128);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].count, 6u);
  EXPECT_EQ(found[0].site.block[0], 1u);
  EXPECT_EQ(found[0].site.thread[0], 0u);
  EXPECT_EQ(found[0].other.block[0], 0u);
  EXPECT_EQ(found[0].other.thread[0], 0u);
  EXPECT_EQ(found[0].allocation_offset, 128 * 4);
  EXPECT_NE(findings::detail_text(found[0]).find("different blocks"),
            std::string::npos);
}

TEST_F(GlobalRaces, TheEndOfTheSearchIsToldOnce) {
  const uint64_t data = zeros(1024);
  race_limit_ = 1;  // the first warp's first stretch
  auto found = find("in_place", {8}, {128}, data, 1024, 128);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_OutputLimit);
  EXPECT_EQ(found[0].severity, 0);
  EXPECT_EQ(found[0].stopped, 0);
  EXPECT_EQ(found[0].count, 1u);
  EXPECT_EQ(found[0].site.position.line, line("in_place"));
  // As far as the search goes, it finds, and then says where it ended.
  race_limit_ = 16;
  found = find("in_place", {8}, {128}, data, 1024, 1);
  ASSERT_EQ(found.size(), 2u) << text(found);
  EXPECT_EQ(found[0].kind + found[1].kind,
            int{MtFinding_RaceGlobal} + int{MtFinding_OutputLimit});
  // Enough is enough: each of 32 warps has one stretch of two accesses.
  race_limit_ = 64;
  found = find("in_place", {8}, {128}, data, 1024, 0);
  EXPECT_TRUE(found.empty()) << text(found);
}

TEST_F(GlobalRaces, ABarrierOrdersABlocksGlobalAccesses) {
  const uint64_t tmp = zeros(512), out = zeros(512);
  auto found = find("exchange", {4}, {128}, tmp, out, 1);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("exchange", {4}, {128}, tmp, out, 0);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(lines(found[0]), pair("exchange: write", "exchange: read"));
  EXPECT_EQ(found[0].count, 4u);
  EXPECT_EQ(found[0].site.block[0], 0u);
  EXPECT_EQ(found[0].other.block[0], 0u);
  EXPECT_NE(findings::detail_text(found[0]).find("__syncthreads"), std::string::npos);
}

TEST_F(GlobalRaces, TwoLanesThatStoreIntoOneCellRace) {
  std::vector<int> to(32);
  for (int i = 0; i < 32; ++i) to[static_cast<size_t>(i)] = i;
  const uint64_t out = zeros(32);
  auto found = find("scatter", {1}, {32}, out, machine_.upload(to));
  EXPECT_TRUE(found.empty()) << text(found);
  to[20] = 11;
  found = find("scatter", {1}, {32}, out, machine_.upload(to));
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceGlobal);
  EXPECT_EQ(lines(found[0]), pair("scatter", "scatter"));
  EXPECT_EQ(found[0].site.thread[0], 20u);
  EXPECT_EQ(found[0].other.thread[0], 11u);
  EXPECT_EQ(found[0].allocation_offset, 44);
}

TEST_F(GlobalRaces, NeighbouringBytesDoNotRace) {
  const auto found = find("neighbour_bytes", {5}, {50}, zeros(64), 249);
  EXPECT_TRUE(found.empty()) << text(found);
}

TEST_F(GlobalRaces, AtomicsOrderAHistogram) {
  std::vector<int> in(256);
  for (int i = 0; i < 256; ++i) in[static_cast<size_t>(i)] = i % 7;
  const uint64_t values = machine_.upload(in), bins = zeros(16);
  auto found = find("histogram", {4}, {64}, bins, values, 1);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("histogram", {4}, {64}, bins, values, 0);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceGlobal);
  EXPECT_EQ(lines(found[0]), pair("histogram: add", "histogram: add"));
}

TEST_F(GlobalRaces, AnAtomicCounterIsNotReadPlainly) {
  const auto found = find("counter", {2}, {32}, zeros(1), zeros(64));
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceGlobal);
  EXPECT_EQ(lines(found[0]), pair("counter: add", "counter: read"));
}

TEST_F(GlobalRaces, AtomicsOfBlockScopeRaceBetweenBlocks) {
  auto found = find("block_scope", {1}, {128}, zeros(1));
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("block_scope", {2}, {128}, zeros(1));
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceGlobal);
  EXPECT_EQ(found[0].site.block[0], 1u);
  EXPECT_EQ(found[0].other.block[0], 0u);
}

TEST_F(GlobalRaces, EveryRunFindsTheSame) {
  const uint64_t data = zeros(4096);
  const auto once = find("in_place", {32}, {128}, data, 4096, 100);
  for (int i = 0; i < 3; ++i) {
    const auto again = find("in_place", {32}, {128}, data, 4096, 100);
    EXPECT_EQ(text(once), text(again));
  }
}

}  // namespace
}  // namespace minitorch::simt
