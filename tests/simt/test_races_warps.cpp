// Races within a warp, and what __syncwarp() orders.
#include "races_run.h"

namespace minitorch::simt {
namespace {

class WarpRaces : public RaceTest {
 protected:
  WarpRaces() : RaceTest("races_warps") {}
};

TEST_F(WarpRaces, WarpBarriersOrderAWarp) {
  const uint64_t in = zeros(64), out = zeros(1);
  auto found = find("warp_right", {1}, {64}, out, in);
  EXPECT_TRUE(found.empty()) << text(found);
  std::vector<int> values(64, 3);
  found = find("warp_wrong", {1}, {64}, out, machine_.upload(values));
  ASSERT_GE(found.size(), 1u);
  EXPECT_EQ(found[0].kind, MtFinding_RaceShared);
  EXPECT_EQ(lines(found[0]), pair("warp: read", "warp: write")) << text(found);
  EXPECT_EQ(found[0].site.thread[0] / 32, found[0].other.thread[0] / 32);
  // The block has a second warp, which may use these lines too.
  const std::string detail = findings::detail_text(found[0]);
  EXPECT_NE(detail.find("put __syncthreads() between them"), std::string::npos);
  EXPECT_NE(detail.find("or __syncwarp() where only"), std::string::npos);
}

TEST_F(WarpRaces, PartsOfAWarpSynchroniseApart) {
  const uint64_t out = zeros(32);
  auto found = find("half_warps", {1}, {32}, out, 0);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("half_warps", {1}, {32}, out, 1);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(lines(found[0]), pair("half: write", "half: read"));
  const std::string detail = findings::detail_text(found[0]);  // of a block of one warp
  EXPECT_NE(detail.find("so __syncwarp() is enough"), std::string::npos);
  EXPECT_NE(detail.find("put __syncthreads() between them"), std::string::npos);
  // Lane 15 reads what lane 16 wrote, lane 31 what lane 0 wrote.
  const std::pair<uint32_t, uint32_t> threads(found[0].site.thread[0],
                                              found[0].other.thread[0]);
  EXPECT_TRUE(threads == std::pair(15u, 16u) || threads == std::pair(31u, 0u))
      << text(found);
}

TEST_F(WarpRaces, AWarpBarrierDoesNotOrderOtherWarps) {
  const auto found = find("broadcast", {1}, {64}, zeros(64), 4);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(lines(found[0]), pair("broadcast: write", "broadcast: read"));
  EXPECT_EQ(found[0].site.thread[0], 0u);
  EXPECT_GE(found[0].other.thread[0], 32u);
  EXPECT_EQ(found[0].count, 3u);
  const auto one_warp = find("broadcast", {1}, {32}, zeros(64), 4);
  EXPECT_TRUE(one_warp.empty()) << text(one_warp);
}

TEST_F(WarpRaces, AnAtomicOnAnUnwrittenCellIsARead) {
  const auto found = find("unwritten_atomic", {1}, {32}, zeros(1));
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_UninitShared);
  EXPECT_EQ(found[0].site.position.line, line("unwritten: add"));
}

TEST_F(WarpRaces, ARaceIsSaidInsteadOfAnUnwrittenCell) {
  const auto found = find("read_before_write", {1}, {64}, zeros(64));
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceShared);
  EXPECT_EQ(lines(found[0]), pair("early: read", "early: write"));
  EXPECT_NE(findings::detail_text(found[0]).find("no value"), std::string::npos);
}

}  // namespace
}  // namespace minitorch::simt
