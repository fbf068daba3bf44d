// The tests of cutting texts: between characters, at every length.
#include "base/text.h"

#include <gtest/gtest.h>

namespace minitorch::base {
namespace {

// One, two, three and four bytes a character.
constexpr std::string_view kMixed = "a\u00e9\u20ac\U0001f600z";

TEST(Text, IsCutBetweenCharacters) {
  // Ends of the characters: a 1, é 3, € 6, 😀 10, z 11.
  const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (size_t bytes = 0; bytes < std::size(expected); ++bytes)
    EXPECT_EQ(first_bytes(kMixed, bytes), kMixed.substr(0, expected[bytes])) << bytes;
}

TEST(Text, ThatIsNoUtf8IsCutWhereItIsFull) {
  const std::string continuations(10, '\x80');
  EXPECT_EQ(first_bytes(continuations, 7).size(), 7u);
  EXPECT_EQ(first_bytes("\xff\xfe\xfd\xfc", 3).size(), 3u);
  EXPECT_EQ(first_bytes("", 3), "");
}

TEST(Text, FitsAFieldWithItsZero) {
  char field[5] = {'#', '#', '#', '#', '#'};
  copy_text(field, "ab");
  EXPECT_STREQ(field, "ab");
  copy_text(field, "abcdefg");
  EXPECT_STREQ(field, "abcd");
  copy_text(field, "abc\u00e9");
  EXPECT_STREQ(field, "abc");
  copy_text(field, "");
  EXPECT_STREQ(field, "");
}

}  // namespace
}  // namespace minitorch::base
