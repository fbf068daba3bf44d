// Races on shared memory. Expected threads, lines and counts follow from the kernels'
// index arithmetic alone.
#include "races_run.h"

namespace minitorch::simt {
namespace {

class SharedRaces : public RaceTest {
 protected:
  SharedRaces() : RaceTest("races_shared") {}
};

TEST_F(SharedRaces, AReductionIsSilent) {
  const uint64_t in = zeros(256 * 100), out = zeros(100);
  const auto found = find("reduce_right", {100}, {256}, out, in);
  EXPECT_TRUE(found.empty()) << text(found);
}

TEST_F(SharedRaces, AReductionWithoutItsFirstBarrierRacesOnceABlock) {
  const uint64_t in = zeros(256 * 100), out = zeros(100);
  const auto found = find("reduce_wrong", {100}, {256}, out, in);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceShared);
  EXPECT_EQ(lines(found[0]), pair("reduce: fill", "reduce: add"));
  EXPECT_EQ(found[0].count, 100u);
  EXPECT_STREQ(found[0].allocation_label, "s");
  EXPECT_EQ(found[0].severity, 2);
  EXPECT_FALSE(found[0].stopped);
  // Thread t adds cell t + 128, which thread t + 128 fills.
  const uint32_t a = found[0].site.thread[0], b = found[0].other.thread[0];
  EXPECT_EQ(std::max(a, b) - std::min(a, b), 128u);
  EXPECT_NE(findings::detail_text(found[0]).find("__syncthreads"), std::string::npos);
}

TEST_F(SharedRaces, TilesAreSilent) {
  const uint64_t a = zeros(64 * 64), b = zeros(64 * 64), c = zeros(64 * 64);
  const auto found = find("tiled_right", {4, 4}, {16, 16}, c, a, b, 64);
  EXPECT_TRUE(found.empty()) << text(found);
}

TEST_F(SharedRaces, TilesWithoutTheSecondBarrierRaceInEveryPhaseButOne) {
  const int n = 256;
  const uint64_t c = zeros(n * n);
  std::vector<int> values(n * n);
  for (int i = 0; i < n * n; ++i) values[static_cast<size_t>(i)] = i;
  const uint64_t left = machine_.upload(values), right = machine_.upload(values);
  const auto found = find("tiled_wrong", {16, 16}, {16, 16}, c, left, right, n);
  ASSERT_EQ(found.size(), 2u) << text(found);
  EXPECT_EQ(lines(found[0]), pair("tiled: left", "tiled: sum"));
  EXPECT_STREQ(found[0].allocation_label, "left");
  EXPECT_EQ(found[0].count, 3840u);
  EXPECT_EQ(lines(found[1]), pair("tiled: right", "tiled: sum"));
  EXPECT_STREQ(found[1].allocation_label, "right");
  EXPECT_EQ(found[1].count, 3840u);
}

TEST_F(SharedRaces, ASecondBufferOrdersAScan) {
  const uint64_t data = machine_.upload(std::vector<int>(128, 1));
  auto found = find("scan", {1}, {128}, data, 2);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("scan", {1}, {128}, data, 1);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(lines(found[0]), pair("scan: step", "scan: step"));
  EXPECT_EQ(found[0].count, 7u);  // once an interval, d = 1, 2, ..., 64
}

TEST_F(SharedRaces, NeighbouringBytesDoNotRace) {
  const uint64_t out = zeros(64);
  auto found = find("bytes", {1}, {256}, out, 0);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("bytes", {1}, {256}, out, 3);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(lines(found[0]), pair("bytes: write", "bytes: again"));
}

TEST_F(SharedRaces, VectorsRaceByElement) {
  const uint64_t in = zeros(512), out = zeros(512);
  auto found = find("vectors", {1}, {128}, out, in, 0);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("vectors", {1}, {128}, out, in, 1);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(lines(found[0]), pair("vectors: write", "vectors: read"));
}

TEST_F(SharedRaces, OneValueByAllIsANote) {
  const uint64_t out = zeros(64);
  auto found = find("flag", {1}, {64}, out, 0);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceBenign);
  EXPECT_EQ(found[0].severity, 0);
  found = find("flag", {1}, {64}, out, 1);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceShared);
  EXPECT_EQ(lines(found[0]), pair("flag: write", "flag: write"));
  // Two lanes of one instruction: no order of lanes is promised.
  EXPECT_EQ(found[0].site.thread[0], 1u);
  EXPECT_EQ(found[0].other.thread[0], 0u);
}

TEST_F(SharedRaces, OneValueThatIsReadMeanwhileIsARace) {
  const auto found = find("flag_read", {1}, {64}, zeros(64));
  const bool raced = std::any_of(found.begin(), found.end(), [&](const MtFinding& f) {
    return f.kind == MtFinding_RaceShared &&
           lines(f) == pair("flag_read: write", "flag_read: read");
  });
  EXPECT_TRUE(raced) << text(found);
}

TEST_F(SharedRaces, ThreadsThatHaveLeftAreBehindTheBarrier) {
  for (const MtFinding& f : find("early_exit", {1}, {128}, zeros(128), 100)) {
    EXPECT_NE(f.kind, MtFinding_RaceShared) << text({f});
    EXPECT_EQ(f.severity, 0) << text({f});
  }
}

TEST_F(SharedRaces, BothSitesNameTheirCalls) {
  auto found = find("calls", {1}, {64}, zeros(64), 1);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("calls", {1}, {64}, zeros(64), 0);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(lines(found[0]), pair("calls: put", "calls: put"));
  ASSERT_EQ(found[0].site.inlined_count, 1);
  ASSERT_EQ(found[0].other.inlined_count, 1);
  EXPECT_EQ(found[0].site.inlined_from[0].line, line("calls: then"));
  EXPECT_EQ(found[0].other.inlined_from[0].line, line("calls: first"));
}

TEST_F(SharedRaces, CellsThatNobodyWroteAreReportedAtTheirLoads) {
  const uint64_t out = zeros(192);
  auto found = find("unwritten", {3}, {64}, out, 64);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("unwritten", {3}, {64}, out, 60);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_UninitShared);
  EXPECT_EQ(found[0].site.position.line, line("unwritten: read"));
  EXPECT_EQ(found[0].count, 3u * 4u);  // 4 threads of each block
  EXPECT_EQ(found[0].site.thread[0], 0u);
  EXPECT_EQ(found[0].allocation_offset, 63 * 4);
  EXPECT_STREQ(found[0].allocation_label, "s");
}

}  // namespace
}  // namespace minitorch::simt
