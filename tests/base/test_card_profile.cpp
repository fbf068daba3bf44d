// The tests of the card data: the figures a learner looks up, and what holds for all.
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

TEST(CardProfile, PeaksAreThoseOfTheDataSheets) {
  const auto tera = [](const char* key, int Throughput::*type) {
    return find_card_profile(key)->peak(type) / 1e12;
  };
  EXPECT_NEAR(tera("t4", &Throughput::single), 8.1, 0.1);
  EXPECT_NEAR(tera("t4", &Throughput::tensor), 65, 1);
  EXPECT_NEAR(tera("rtx3090", &Throughput::single), 35.6, 0.1);
  EXPECT_NEAR(tera("rtx3090", &Throughput::tensor), 71, 1);
  EXPECT_NEAR(tera("a100", &Throughput::doubles), 9.7, 0.1);
  EXPECT_NEAR(tera("a100", &Throughput::single), 19.5, 0.1);
  EXPECT_NEAR(tera("a100", &Throughput::half), 78, 0.1);
  EXPECT_NEAR(tera("a100", &Throughput::tensor), 312, 1);
  EXPECT_NEAR(tera("h100", &Throughput::doubles), 33.5, 0.5);
  EXPECT_NEAR(tera("h100", &Throughput::single), 67, 0.5);
  // The data sheet's 989 is at the clock that tensor code keeps up, 1,830 MHz.
  EXPECT_NEAR(tera("h200", &Throughput::tensor) * 1830 / 1980, 989, 1);
}

}  // namespace
}  // namespace minitorch::base
