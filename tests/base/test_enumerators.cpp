// The tests of the proof that a table follows its enum: what is right passes, each way
// of being wrong does not. All of it happens while compiling.
#include "base/enumerators.h"

#include <gtest/gtest.h>

namespace minitorch::base {
namespace {

enum class Fruit { Apple, Pear, Plum };
enum Plain : int { Plain_First, Plain_Second };

struct Row {
  Fruit fruit;
  const char* name;
};
constexpr auto kFruit = [](const Row& row) { return row.fruit; };

constexpr Row kWhole[] = {
    {Fruit::Apple, "apple"}, {Fruit::Pear, "pear"}, {Fruit::Plum, "plum"}};
constexpr Row kShort[] = {{Fruit::Apple, "apple"}, {Fruit::Pear, "pear"}};
constexpr Row kSwapped[] = {
    {Fruit::Apple, "apple"}, {Fruit::Plum, "plum"}, {Fruit::Pear, "pear"}};
constexpr Row kTwice[] = {{Fruit::Apple, "apple"},
                          {Fruit::Pear, "pear"},
                          {Fruit::Plum, "plum"},
                          {Fruit::Plum, "plum"}};
constexpr Row kBeyond[] = {{Fruit::Apple, "apple"},
                           {Fruit::Pear, "pear"},
                           {Fruit::Plum, "plum"},
                           {static_cast<Fruit>(3), "none"}};

TEST(Enumerators, AreThoseWithAName) {
  EXPECT_TRUE(is_enumerator<Fruit::Plum>());
  EXPECT_FALSE(is_enumerator<static_cast<Fruit>(3)>());
  EXPECT_TRUE(is_enumerator<Plain_Second>());
  EXPECT_FALSE(is_enumerator<static_cast<Plain>(2)>());
}

TEST(Enumerators, AreFollowedByAWholeTableInOrder) {
  EXPECT_TRUE(rows_follow_enumerators<kWhole>(kFruit));
  EXPECT_FALSE(rows_follow_enumerators<kShort>(kFruit));
  EXPECT_FALSE(rows_follow_enumerators<kSwapped>(kFruit));
  EXPECT_FALSE(rows_follow_enumerators<kTwice>(kFruit));
  EXPECT_FALSE(rows_follow_enumerators<kBeyond>(kFruit));
}

}  // namespace
}  // namespace minitorch::base
