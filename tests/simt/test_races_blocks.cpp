// Blocks that work together: tickets, named barriers, the last block, rounds.
#include "races_run.h"

namespace minitorch::simt {
namespace {

class CooperatingRaces : public RaceTest {
 protected:
  CooperatingRaces() : RaceTest("races_blocks") {}
};

TEST_F(CooperatingRaces, TicketsGiveEachThreadItsOwnWork) {
  const auto found = find("tickets", {4}, {64}, zeros(1), zeros(640), 10);
  EXPECT_TRUE(found.empty()) << text(found);
}

TEST_F(CooperatingRaces, NamedBarriersOrderThoseWhoTakePart) {
  auto found = find("pipeline_right", {1}, {64}, zeros(32), 5);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("pipeline_wrong", {1}, {64}, zeros(32), 5);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceShared);
  EXPECT_EQ(lines(found[0]), pair("pipeline: write", "pipeline: read"));
}

TEST_F(CooperatingRaces, TheLastBlockAddsBehindFences) {
  const uint64_t partial = zeros(64 * 64);
  auto found = find("last_right", {64}, {64}, partial, zeros(64), zeros(1));
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("last_no_fence", {64}, {64}, partial, zeros(64), zeros(1));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, MtFinding_RaceGlobal);
  EXPECT_EQ(lines(found[0]), pair("last: partial", "last: sum")) << text(found);
  EXPECT_EQ(found[0].site.block[0], 63u);
}

TEST_F(CooperatingRaces, AFenceDoesNotSpeakForThreadsOfNoBarrier) {
  const uint64_t partial = zeros(64 * 64);
  const auto found = find("last_no_barrier", {64}, {64}, partial, zeros(64), zeros(1));
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(lines(found[0]), pair("last: partial", "last: sum"));
  // What thread 0 of each block has left, thread 0's fence has published.
  EXPECT_NE(found[0].other.thread[0], 0u);
}

TEST_F(CooperatingRaces, RoundsOfAllBlocksNeedFencesAtTheirBarrier) {
  const uint64_t a = zeros(4 * 64), b = zeros(4 * 64);
  auto found = find("rounds_right", {4}, {64}, a, b, zeros(1), 6);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("rounds_wrong", {4}, {64}, a, b, zeros(1), 6);
  ASSERT_EQ(found.size(), 2u) << text(found);  // one for each array
  EXPECT_EQ(lines(found[0]), pair("rounds: step", "rounds: step"));
}

}  // namespace
}  // namespace minitorch::simt
