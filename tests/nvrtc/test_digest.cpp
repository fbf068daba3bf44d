// The tests of SHA-256, with the examples of NIST's documents.
#include <gtest/gtest.h>

#include "nvrtc/digest.h"

namespace minitorch::nvrtc {
namespace {

TEST(Sha256, GivesTheDigestsOfTheStandardsExamples) {
  EXPECT_EQ(Sha256().hex(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256().update("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      Sha256().update("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256().update(std::string(1'000'000, 'a')).hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheInputIsCut) {
  const std::string text(200, 'x');
  Sha256 pieces;
  for (size_t i = 0; i < text.size(); i += 7) pieces.update(text.substr(i, 7));
  EXPECT_EQ(pieces.hex(), Sha256().update(text).hex());
}

TEST(Sha256, TellsListsOfFieldsApart) {
  EXPECT_NE(Sha256().field("ab").field("c").hex(),
            Sha256().field("a").field("bc").hex());
  EXPECT_NE(Sha256().field("").field("a").hex(), Sha256().field("a").field("").hex());
}

}  // namespace
}  // namespace minitorch::nvrtc
