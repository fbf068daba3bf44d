// Owns the tests of the card data: the figures a learner looks up, and what holds for
// all.
#include "base/card_profile.h"

#include <gtest/gtest.h>

#include <set>

namespace minitorch::base {
namespace {

TEST(CardProfile, TeslaT4IsColabsCard) {
  const CardProfile* t4 = find_card_profile("t4");
  ASSERT_NE(t4, nullptr);
  EXPECT_EQ(t4->compute_major * 10 + t4->compute_minor, 75);
  EXPECT_EQ(t4->sm_count, 40);
  EXPECT_EQ(t4->max_warps_per_sm * 32, 1024);  // threads per SM of compute 7.5
  EXPECT_EQ(t4->shared_per_block_optin, 65536u);
}

TEST(CardProfile, UnknownKeyIsNull) {
  EXPECT_EQ(find_card_profile("gtx285"), nullptr);
  EXPECT_EQ(find_card_profile(""), nullptr);
}

TEST(CardProfile, KeysAreDistinctAndFound) {
  std::set<std::string_view> keys;
  for (const CardProfile& card : card_profiles()) {
    EXPECT_TRUE(keys.insert(card.key).second) << card.key;
    EXPECT_EQ(find_card_profile(card.key), &card);
  }
  EXPECT_EQ(keys,
            (std::set<std::string_view>{"t4", "rtx3090", "a100", "h100", "h200"}));
}

TEST(CardProfile, FiguresAgreeWithEachOther) {
  for (const CardProfile& card : card_profiles()) {
    EXPECT_EQ(card.shared_per_block, 49152u) << card.key;
    EXPECT_GT(card.shared_per_block_optin, card.shared_per_block) << card.key;
    EXPECT_LE(card.shared_per_block_optin, card.shared_per_sm) << card.key;
    EXPECT_EQ(card.registers_per_sm, 65536u) << card.key;
    // Two transfers a clock over the bus; the data sheets round by a few percent.
    const double peak = 2.0 * card.memory_clock_khz * 1e3 * card.memory_bus_bits / 8;
    EXPECT_NEAR(static_cast<double>(card.bandwidth) / peak, 1.0, 0.03) << card.key;
  }
}

}  // namespace
}  // namespace minitorch::base
