// Variables: sizes, initial bytes, relocations, names for people.
#include <gtest/gtest.h>

#include "ptx/demangle.h"
#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

Variable only_variable(const std::string& text) {
  return decode(kHeader + text)->variables.at(0);
}
using Bytes = std::vector<uint8_t>;

TEST(Declarations, SizesAndAlignments) {
  EXPECT_EQ(only_variable(".global .f32 a;").size, 4u);
  EXPECT_EQ(only_variable(".global .align 16 .f64 a[3][5];").size, 120u);
  EXPECT_EQ(only_variable(".global .align 16 .f64 a[3][5];").alignment, 16u);
  EXPECT_EQ(only_variable(".const .v4 .f32 a[2];").size, 32u);
  EXPECT_EQ(only_variable(".const .v4 .f32 a[2];").alignment, 16u);
  EXPECT_EQ(only_variable(".const .u16 a;").space, Space::Const);
  const Variable dynamic = only_variable(".extern .shared .align 16 .b8 s[];");
  EXPECT_TRUE(dynamic.external);
  EXPECT_EQ(dynamic.size, 0u);
  EXPECT_FALSE(only_variable(".visible .global .u32 g;").external);
}

TEST(Declarations, InitialBytes) {
  EXPECT_EQ(only_variable(".global .u32 a = 258;").initial, (Bytes{2, 1, 0, 0}));
  EXPECT_EQ(only_variable(".global .s16 a[3] = {-1, 2};").initial,
            (Bytes{255, 255, 2, 0}));
  EXPECT_EQ(only_variable(".global .f32 a = 1.0;").initial, (Bytes{0, 0, 128, 63}));
  EXPECT_EQ(only_variable(".global .f32 a = 0f3F800000;").initial,
            (Bytes{0, 0, 128, 63}));
  EXPECT_EQ(only_variable(".global .f64 a = 0d3FF0000000000000;").initial,
            (Bytes{0, 0, 0, 0, 0, 0, 240, 63}));
  EXPECT_EQ(only_variable(".global .u8 a[] = {1, 2, 3};").size, 3u);
}

TEST(Declarations, InnerListsFillTheirRow) {
  const Variable variable = only_variable(".global .u8 a[3][2] = {{1}, {2, 3}, {4}};");
  EXPECT_EQ(variable.initial, (Bytes{1, 0, 2, 3, 4}));
  EXPECT_EQ(only_variable(".global .u8 a[][2] = {{1, 2}, {3}};").size, 4u);
}

TEST(Declarations, Relocations) {
  const auto module = decode(kHeader +
                             ".func f() { ret; } .global .u32 x;"
                             ".global .u64 t[4] = {f, x+4, generic(x), generic(x)+8};");
  const auto& relocations = module->variables[1].relocations;
  ASSERT_EQ(relocations.size(), 4u);
  EXPECT_TRUE(relocations[0].function);
  EXPECT_EQ(relocations[1].offset, 8u);
  EXPECT_EQ(relocations[1].addend, 4);
  EXPECT_FALSE(relocations[1].generic);
  EXPECT_TRUE(relocations[2].generic);
  EXPECT_EQ(relocations[3].addend, 8);
  EXPECT_EQ(module->variables[1].initial.size(), 32u);
}

TEST(Declarations, MaskedBytesOfAnAddressMakeOneRelocation) {
  const auto module =
      decode(kHeader +
             ".global .u32 x; .global .b8 t[12] = {7, 0, 0, 0, 0xFF(generic(x)),"
             "0xFF00(generic(x)), 0xFF0000(generic(x)), 0xFF000000(generic(x)),"
             "0xFF00000000(generic(x)), 0xFF0000000000(generic(x)),"
             "0xFF000000000000(generic(x)), 0xFF00000000000000(generic(x))};");
  const Variable& table = module->variables[1];
  ASSERT_EQ(table.relocations.size(), 1u);
  EXPECT_EQ(table.relocations[0].offset, 4u);
  EXPECT_TRUE(table.relocations[0].generic);
  EXPECT_EQ(table.initial[0], 7);
}

TEST(Declarations, MistakesAreRefused) {
  EXPECT_NE(refusal(kHeader + ".global .u8 a[2] = {1, 2, 3};"), "");
  EXPECT_NE(refusal(kHeader + ".global .u64 a = nobody;"), "");
  EXPECT_NE(refusal(kHeader + ".global .u32 x; .global .u32 a = x;"), "");
  EXPECT_NE(refusal(kHeader + ".global .u8 a[1099511627777];"), "");
  EXPECT_NE(refusal(kHeader + ".global .u64 a[1000000000][1000000000];"), "");
}

TEST(Declarations, NamesForPeople) {
  EXPECT_EQ(variable_display("_ZZ4gemmE4tile"), "tile");
  EXPECT_EQ(variable_display("_ZZ4gemmPfE4tile"), "tile");
  EXPECT_EQ(variable_display("weights"), "weights");
  EXPECT_EQ(variable_display("_ZZN3lab3addIfEEvPT_S1_E1s_$_13"), "s");
  EXPECT_EQ(variable_display("points_$_1_$_2_$_0"), "points");
  EXPECT_EQ(variable_display("s_$_"), "s_$_");
  EXPECT_EQ(variable_display("row_1"), "row_1");
  EXPECT_EQ(variable_display("_ZN5space6lookupE"), "lookup");
  EXPECT_EQ(function_display("_Z4axpyfPf"), "axpy");
  EXPECT_EQ(function_display("_Z3mapIfEvPT_"), "map<float>");
  EXPECT_EQ(function_display("_ZN5outer3mapEPf"), "outer::map");
  EXPECT_EQ(function_display("plain"), "plain");
  EXPECT_EQ(function_display("_Zbroken"), "_Zbroken");
}

}  // namespace
}  // namespace minitorch::ptx
