// Undefined registers, uniformity, uses and layout on handwritten cases.
#include <gtest/gtest.h>

#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

std::vector<std::string> undefined(const std::string& body) {
  const auto module = decode_kernel(body);
  const Function& function = kernel_of(*module);
  std::vector<std::string> names;
  for (uint32_t r : function.maybe_undefined)
    names.push_back(function.registers[r].name);
  return names;
}
using Names = std::vector<std::string>;

TEST(Undefined, StraightLine) {
  EXPECT_EQ(undefined("mov.u32 %r1, 1; add.s32 %r2, %r1, %r3;"), (Names{"%r3"}));
  EXPECT_EQ(undefined("mov.u32 %r1, 1; st.global.u32 [%rd1], %r1;"), (Names{"%rd1"}));
  EXPECT_EQ(undefined("mov.u32 %r1, 1; mov.u32 %r2, %r1;"), Names{});
}

TEST(Undefined, OneArmedIf) {
  const std::string test = "setp.eq.s32 %p1, 1, 2; @%p1 bra L;";
  EXPECT_EQ(undefined(test + "mov.u32 %r1, 1; L: mov.u32 %r2, %r1;"), (Names{"%r1"}));
  EXPECT_EQ(
      undefined("mov.u32 %r1, 0;" + test + "mov.u32 %r1, 1; L: mov.u32 %r2, %r1;"),
      Names{});
}

TEST(Undefined, GuardedWritesAndLoops) {
  EXPECT_EQ(undefined("setp.eq.s32 %p1, 1, 2; @%p1 mov.u32 %r1, 1; mov.u32 %r2, %r1;"),
            (Names{"%r1"}));
  EXPECT_EQ(undefined("L: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 9; @%p1 bra L;"),
            (Names{"%r1"}));
  EXPECT_EQ(undefined("@%p1 ret;"), (Names{"%p1"}));
}

// Whether the instruction after the label-free prefix is uniform.
bool uniform(const std::string& body, size_t index) {
  const auto module = decode_kernel(body);
  return kernel_of(*module).instructions.at(index).uniform;
}

TEST(Uniformity, SourcesOfDivergence) {
  const std::string use = "; ld.global.f32 %f1, [%rd1]; ret;";
  EXPECT_TRUE(uniform("ld.param.u64 %rd1, [p]" + use, 1));
  EXPECT_TRUE(uniform("cvt.u64.u32 %rd1, %ctaid.x" + use, 1));
  EXPECT_TRUE(uniform("cvt.u64.u32 %rd1, %warpid" + use, 1));
  EXPECT_FALSE(uniform("cvt.u64.u32 %rd1, %tid.x" + use, 1));
  EXPECT_FALSE(uniform("cvt.u64.u32 %rd1, %laneid" + use, 1));
  EXPECT_FALSE(uniform("mov.u64 %rd1, %clock64" + use, 1));
  EXPECT_FALSE(uniform("atom.global.add.u64 %rd1, [0], 1" + use, 1));
  EXPECT_FALSE(uniform("mov.u64 %rd2, %rd1" + use, 1));  // never written
}

TEST(Uniformity, LoadsFollowTheirAddress) {
  const std::string use = "; add.s64 %rd3, %rd2, 8; st.global.u32 [%rd3], 0; ret;";
  EXPECT_TRUE(uniform("ld.param.u64 %rd1, [p]; ld.global.u64 %rd2, [%rd1]" + use, 3));
  EXPECT_FALSE(uniform("ld.param.u64 %rd1, [p]; ld.local.u64 %rd2, [%rd1]" + use, 3));
  EXPECT_FALSE(uniform("ld.param.u64 %rd1, [p]; ld.u64 %rd2, [%rd1]" + use, 3));
  EXPECT_FALSE(
      uniform("ld.param.u64 %rd1, [p]; ld.volatile.global.u64 %rd2, [%rd1]" + use, 3));
  EXPECT_FALSE(
      uniform("cvt.u64.u32 %rd1, %tid.x; ld.global.u64 %rd2, [%rd1]" + use, 3));
}

TEST(Uniformity, WarpResults) {
  const std::string use = "; @%p2 bra L; mov.u32 %r2, 0; L: ret;";
  const std::string divergent = "setp.eq.u32 %p1, %tid.x, 0; ";
  EXPECT_TRUE(uniform(divergent + "vote.sync.any.pred %p2, %p1, -1" + use, 2));
  EXPECT_FALSE(uniform(divergent + "mov.pred %p2, %p1" + use, 2));
  EXPECT_TRUE(uniform(divergent + "bar.red.or.pred %p2, 0, %p1" + use, 2));
}

TEST(Uniformity, ControlDependence) {
  const std::string if_then =
      "mov.u32 %r1, 0; setp.eq.u32 %p1, SOURCE, 0; @%p1 bra L; mov.u32 %r1, 1;"
      "L: setp.eq.u32 %p2, %r1, 0; @%p2 bra M; M: ret;";
  const auto with = [&](const std::string& source) {
    std::string text = if_then;
    return text.replace(text.find("SOURCE"), 6, source);
  };
  EXPECT_TRUE(uniform(with("%ctaid.x"), 5));
  EXPECT_FALSE(uniform(with("%tid.x"), 5));
}

TEST(Uniformity, LoopsLeftAtDifferentTimes) {
  // %r1 counts the same in all lanes, but they stop counting at different times.
  const std::string loop =
      "mov.u32 %r1, 0; L: add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, LIMIT; @%p1 bra L;"
      "setp.eq.u32 %p2, %r1, 5; @%p2 bra M; M: ret;";
  const auto with = [&](const std::string& limit) {
    std::string text = loop;
    return text.replace(text.find("LIMIT"), 5, limit);
  };
  EXPECT_TRUE(uniform(with("%ntid.x"), 5));
  EXPECT_FALSE(uniform(with("%tid.x"), 5));
}

TEST(Uniformity, ParametersOfFunctionsMayDiffer) {
  const auto module = decode(kHeader +
                             ".func f(.param .b64 a) { .reg .b64 %x; .reg .f32 %y;"
                             "ld.param.b64 %x, [a]; ld.global.f32 %y, [%x]; ret; }");
  EXPECT_FALSE(module->functions[0].instructions[1].uniform);
}

TEST(Uses, CountCalleesToo) {
  const auto module = decode(
      kHeader +
      ".func deep() { bar.sync 0; ret; } .func mid() { call deep; ret; }"
      ".entry a() { call mid; ret; } .entry b() { membar.gl; ret; }"
      ".entry c() { .reg .b64 %x; mov.u64 %x, 0; red.global.add.u32 [%x], 1; ret; }"
      ".entry d() { ret; }");
  const auto& a = module->functions[module->find_function("a")];
  EXPECT_TRUE(a.uses_barrier && a.uses_calls && !a.uses_atomics && !a.uses_fence);
  const auto& b = module->functions[module->find_function("b")];
  EXPECT_TRUE(b.uses_fence && !b.uses_barrier && !b.uses_calls);
  const auto& c = module->functions[module->find_function("c")];
  EXPECT_TRUE(c.uses_atomics && !c.uses_fence);
  const auto& d = module->functions[module->find_function("d")];
  EXPECT_FALSE(d.uses_barrier || d.uses_fence || d.uses_atomics || d.uses_calls);
}

const Variable& variable(const Module& module, const std::string& name) {
  return module.variables.at(module.find_variable(name));
}

TEST(Layout, EntriesOverlapAndSharedOnesDoNot) {
  const auto module =
      decode(kHeader +
             ".shared .align 4 .b8 both[100];"
             ".func touch() { .reg .b32 %r; .shared .b8 inner[6]; mov.u32 %r, inner;"
             "mov.u32 %r, both; ret; }"
             ".entry a() { .shared .align 16 .b8 mine[32]; call touch; ret; }"
             ".entry b() { .shared .align 4 .b8 yours[8]; call touch; ret; }"
             ".entry c() { .shared .align 8 .b8 alone[24]; ret; } .entry d() { ret; }");
  EXPECT_EQ(variable(*module, "both").offset, 0u);
  EXPECT_EQ(variable(*module, "inner").offset, 100u);
  EXPECT_EQ(variable(*module, "mine").offset, 112u);
  EXPECT_EQ(variable(*module, "yours").offset, 108u);
  EXPECT_EQ(variable(*module, "alone").offset, 0u);
  const auto bytes = [&](const char* name) {
    return module->functions[module->find_function(name)].shared_bytes;
  };
  EXPECT_EQ(bytes("a"), 144u);
  EXPECT_EQ(bytes("b"), 116u);
  EXPECT_EQ(bytes("c"), 24u);
  EXPECT_EQ(bytes("d"), 0u);
}

TEST(Layout, DynamicSharedMemoryOnlyAsksForAlignment) {
  const auto module =
      decode_kernel(".shared .b8 own[5]; mov.u32 %r1, dynamic; mov.u32 %r1, own;",
                    ".extern .shared .align 128 .b8 dynamic[];");
  EXPECT_EQ(kernel_of(*module).shared_bytes, 5u);
  EXPECT_EQ(kernel_of(*module).shared_alignment, 128u);
}

TEST(Layout, FramesOfFunctions) {
  const auto module =
      decode(kHeader +
             ".func f() { .local .align 4 .b8 a[6]; .local .align 8 .b8 b[8]; ret; }"
             ".func g() { .local .u32 c; ret; } .func h() { ret; }");
  EXPECT_EQ(variable(*module, "a").offset, 0u);
  EXPECT_EQ(variable(*module, "b").offset, 8u);
  EXPECT_EQ(module->functions[0].local_bytes, 16u);
  EXPECT_EQ(variable(*module, "c").offset, 0u);
  EXPECT_EQ(module->functions[1].local_bytes, 16u);
  EXPECT_EQ(module->functions[2].local_bytes, 0u);
}

}  // namespace
}  // namespace minitorch::ptx
