// cuda::barrier, cuda::pipeline and cp.async as NVRTC compiles them for compute_80:
// right kernels give their sums and no finding, wrong ones the finding at its lines.
#include "races_run.h"

namespace minitorch::simt {
namespace {

class Mbarriers : public RaceTest {
 protected:
  Mbarriers() : RaceTest("mbarrier") {}

  /// The line in the kernel itself: of the outermost call, for what is inlined there.
  static int32_t own_line(const MtSite& site) {
    const int32_t calls = site.inlined_count;
    return calls == 0 ? site.position.line : site.inlined_from[calls - 1].line;
  }
  void expect_race(const std::vector<MtFinding>& found, MtFindingKind kind,
                   const std::string& a, const std::string& b) {
    const bool there = std::any_of(found.begin(), found.end(), [&](const auto& f) {
      return f.kind == kind && f.severity == 2 &&
             std::minmax({own_line(f.site), own_line(f.other)}) == pair(a, b);
    });
    EXPECT_TRUE(there) << text(found);
    for (const MtFinding& f : found) EXPECT_EQ(f.kind, kind) << text(found);
  }
  static std::vector<int> count_up(size_t count) {
    std::vector<int> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * i + 3);
    return values;
  }

  const std::vector<int> values_ = count_up(640);
  const uint64_t in_ = machine_.upload(values_);
  const uint64_t out_ = zeros(128);
  std::vector<int> out(size_t count) const {
    return machine_.download<int>(out_, count);
  }
};

TEST_F(Mbarriers, ABarrierOrdersWhatItsThreadsExchange) {
  const auto found = find("exchange", {1}, {128}, out_, in_, 0);
  EXPECT_TRUE(found.empty()) << text(found);
  for (size_t t = 0; t < 128; ++t) EXPECT_EQ(out(128)[t], values_[127 - t]);
}

TEST_F(Mbarriers, InitialisedWithoutABarrierBehindItIsARace) {
  const auto found = find("exchange", {1}, {128}, out_, in_, 1);
  expect_race(found, MtFinding_RaceShared, "exchange: init", "exchange: arrive");
  EXPECT_STREQ(found[0].allocation_label, "bar");
}

TEST_F(Mbarriers, AThreadThatDoesNotComeIsADeadlockThatNamesTheBarrier) {
  const auto found = find("exchange", {1}, {128}, out_, in_, 2);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_Deadlock);
  EXPECT_TRUE(found[0].stopped);
  EXPECT_EQ(own_line(found[0].site), line("exchange: wait"));
  EXPECT_EQ(found[0].other.thread[0], 127u);
  EXPECT_EQ(std::string(found[0].detail),
            "mbarrier 'bar' has 127 of 128 arrivals and nobody else comes: 127 waiting "
            "at line " +
                std::to_string(line("exchange: wait")) + "; 1 has left the kernel");
}

TEST_F(Mbarriers, WhatIsReadBeforeTheWaitIsARace) {
  const auto found = find("exchange", {1}, {128}, out_, in_, 3);
  expect_race(found, MtFinding_RaceShared, "exchange: write", "exchange: early");
}

TEST_F(Mbarriers, ThreadsMayDropOut) {
  auto found = find("leave", {1}, {128}, out_, in_, 0);
  EXPECT_TRUE(found.empty()) << text(found);
  for (size_t t = 0; t < 64; ++t) {
    EXPECT_EQ(out(64)[t], values_[63 - t] + values_[127 - t]);
  }
  found = find("leave", {1}, {128}, out_, in_, 1);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_Deadlock);
  EXPECT_EQ(own_line(found[0].site), line("leave: second"));
  EXPECT_NE(std::string(found[0].detail).find("64 of 128"), std::string::npos);
}

TEST_F(Mbarriers, FullAndEmptyBuffersOrderProducerAndConsumer) {
  auto found = find("hand_over", {1}, {64}, out_, in_, 9, 0);
  EXPECT_TRUE(found.empty()) << text(found);
  for (size_t t = 0; t < 32; ++t) {
    int sum = 0;
    for (size_t r = 0; r < 9; ++r) sum += values_[32 * r + 31 - t];
    EXPECT_EQ(out(32)[t], sum);
  }
  found = find("hand_over", {1}, {64}, out_, in_, 2, 1);
  expect_race(found, MtFinding_RaceShared, "hand over: fill", "hand over: use");
  found = find("hand_over", {1}, {64}, out_, in_, 9, 2);
  expect_race(found, MtFinding_RaceShared, "hand over: fill", "hand over: use");
}

TEST_F(Mbarriers, ABarrierWaitsForCopies) {
  auto found = find("tile", {1}, {128}, out_, in_, 0);
  EXPECT_TRUE(found.empty()) << text(found);
  for (size_t t = 0; t < 128; ++t) EXPECT_EQ(out(128)[t], values_[127 - t]);
  found = find("tile", {1}, {128}, out_, in_, 1);
  expect_race(found, MtFinding_RaceShared, "tile: copy", "tile: use");
  found = find("tile", {1}, {128}, out_, in_, 2);
  expect_race(found, MtFinding_RaceGlobal, "tile: copy", "tile: change");
}

TEST_F(Mbarriers, APipelineOrdersItsStages) {
  auto found = find("tiles", {1}, {128}, out_, in_, 5, 0);
  EXPECT_TRUE(found.empty()) << text(found);
  for (size_t t = 0; t < 128; ++t) {
    int sum = 0;
    for (size_t r = 0; r < 5; ++r) sum += values_[128 * r + 127 - t];
    EXPECT_EQ(out(128)[t], sum);
  }
  found = find("tiles", {1}, {128}, out_, in_, 1, 1);
  expect_race(found, MtFinding_RaceShared, "tiles: copy", "tiles: use");
  found = find("tiles", {1}, {128}, out_, in_, 5, 2);
  expect_race(found, MtFinding_RaceShared, "tiles: copy", "tiles: use");
}

TEST_F(Mbarriers, CopiesOfGroupsAreInFlightUntilTheWait) {
  auto found = find("groups", {1}, {64}, out_, in_, 0);
  EXPECT_TRUE(found.empty()) << text(found);
  for (size_t t = 0; t < 64; ++t) {
    EXPECT_EQ(out(64)[t], values_[63 - t] + values_[64 + t]);
  }
  const auto expect = [&](int mode, MtFindingKind kind, const char* a, const char* b) {
    SCOPED_TRACE(mode);
    expect_race(find("groups", {1}, {64}, out_, in_, mode), kind, a, b);
  };
  expect(1, MtFinding_RaceGlobal, "groups: first", "groups: own");
  expect(2, MtFinding_RaceGlobal, "groups: first", "groups: behind");
  expect(3, MtFinding_RaceShared, "groups: first", "groups: before");
  expect(4, MtFinding_RaceShared, "groups: first", "groups: between");
  expect(5, MtFinding_RaceShared, "groups: still", "groups: first");
  expect(6, MtFinding_RaceShared, "groups: next", "groups: second");
}

}  // namespace
}  // namespace minitorch::simt
