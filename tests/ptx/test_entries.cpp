// The tests of what is read of entries without their bodies, and of their names.
#include <gtest/gtest.h>

#include "ptx/demangle.h"
#include "ptx/entries.h"

namespace minitorch::ptx {
namespace {

TEST(Entries, GiveNamesAndSizes) {
  const std::vector<Entry> found = read_entries(
      ".version 9.0\n.target sm_75\n"
      ".visible .entry first(\n"
      "\t.param .u64 .ptr .align 1 first_param_0,\n"
      "\t.param .f32 first_param_1,\n"
      "\t.param .align 4 .b8 first_param_2[12]\n)\n.maxntid 256\n{ ret; }\n"
      ".entry _Z6secondv()\n{ ret; }\n"
      ".entry $third\n{ ret; }\n");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].name, "first");
  ASSERT_EQ(found[0].parameters.size(), 3u);
  EXPECT_EQ(found[0].parameters[0].type, ".u64");
  EXPECT_EQ(found[0].parameters[0].letter, 'u');
  EXPECT_EQ(found[0].parameters[0].element, 8u);
  EXPECT_EQ(found[0].parameters[1].letter, 'f');
  EXPECT_EQ(found[0].parameters[1].element, 4u);
  EXPECT_EQ(found[0].parameters[2].type, ".b8[12]");
  EXPECT_EQ(found[0].parameters[2].elements, 12u);
  EXPECT_TRUE(found[1].parameters.empty());
  EXPECT_EQ(found[2].name, "$third");
}

TEST(Entries, CommentsInAHeadAreNoParameters) {
  const std::vector<Entry> found = read_entries(
      ".entry k(.param .u64 a, // an array, .f64 b[3]\n"
      "  .param .f32 /* [7], */ b)\n{ ret; }\n");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].parameters.size(), 2u);
  EXPECT_EQ(found[0].parameters[0].type, ".u64");
  EXPECT_EQ(found[0].parameters[1].type, ".f32");
}

TEST(Entries, NamesAreReadable) {
  EXPECT_EQ(function_display("plain"), "plain");
  EXPECT_EQ(function_display("g"), "g")
      << "the mangled word for __float128 is no entry";
  EXPECT_EQ(function_display("add"), "add");
  EXPECT_EQ(function_display("_Z5scalePff"), "scale");
  EXPECT_EQ(function_display("_ZN2ns5scaleEi"), "ns::scale");
  EXPECT_EQ(function_display("_Z5scaleIfEvPT_"), "scale<float>");
}

TEST(Entries, SignaturesTellKernelsOfOneNameApart) {
  EXPECT_EQ(function_signature("plain"), "plain");
  EXPECT_EQ(function_signature("_Z5scalePff"), "scale(float*, float)");
  EXPECT_EQ(function_signature("_Z5scaleIfEvPT_"), "scale<float>(float*)");
  EXPECT_EQ(function_signature("_ZN12_GLOBAL__N_15scaleEPf"),
            "(anonymous namespace)::scale(float*)");
}

}  // namespace
}  // namespace minitorch::ptx
