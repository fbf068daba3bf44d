// Flags and locks: what fences and strong accesses order, and what the lack of one
// leaves open. Expected findings follow from the PTX memory model.
#include "races_run.h"

namespace minitorch::simt {
namespace {

class FlagRaces : public RaceTest {
 protected:
  FlagRaces() : RaceTest("races_flags") {}

  void expect_race(const std::vector<MtFinding>& found, const std::string& a,
                   const std::string& b) {
    ASSERT_EQ(found.size(), 1u) << text(found);
    EXPECT_EQ(found[0].kind, MtFinding_RaceGlobal);
    EXPECT_EQ(lines(found[0]), pair(a, b)) << text(found);
  }
};

TEST_F(FlagRaces, AFlagBetweenTwoFencesHandsOver) {
  auto found = find("flag_right", {2}, {1}, zeros(1), zeros(1), zeros(1));
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("flag_no_release", {2}, {1}, zeros(1), zeros(1), zeros(1));
  expect_race(found, "flag: write", "flag: read");
  EXPECT_EQ(found[0].site.block[0], 1u);
  EXPECT_EQ(found[0].other.block[0], 0u);
  found = find("flag_no_acquire", {2}, {1}, zeros(1), zeros(1), zeros(1));
  expect_race(found, "flag: write", "flag: read");
}

TEST_F(FlagRaces, AFenceOfTheBlockDoesNotReachOtherBlocks) {
  const auto found = find("flag_block_fence", {2}, {1}, zeros(1), zeros(1), zeros(1));
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].kind, MtFinding_RaceGlobal);
}

TEST_F(FlagRaces, APlainFlagRacesItself) {
  const auto found = find("flag_plain", {2}, {1}, zeros(1), zeros(1), zeros(1));
  expect_race(found, "plain flag: write", "plain flag: read");
}

TEST_F(FlagRaces, ReleaseAndAcquireAreFencesOfTheirOwn) {
  auto found = find("flag_instructions", {2}, {1}, zeros(1), zeros(1), zeros(1), 0);
  EXPECT_TRUE(found.empty()) << text(found);
  found = find("flag_instructions", {2}, {1}, zeros(1), zeros(1), zeros(1), 1);
  expect_race(found, "instructions: write", "instructions: read");
}

TEST_F(FlagRaces, ALockNeedsFencesOnBothSides) {
  const uint64_t sum = zeros(1);
  auto found = find("lock_right", {4}, {64}, zeros(1), sum);
  EXPECT_TRUE(found.empty()) << text(found);
  EXPECT_EQ(machine_.download<int>(sum, 1)[0], 256);
  found = find("lock_no_acquire", {4}, {64}, zeros(1), zeros(1));
  expect_race(found, "lock: add", "lock: add");
  found = find("lock_no_release", {4}, {64}, zeros(1), zeros(1));
  expect_race(found, "lock: add", "lock: add");
}

}  // namespace
}  // namespace minitorch::simt
