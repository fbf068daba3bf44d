// Ways to say where: indexed operands without brackets, and shared memory by its offset
// alone; in the engine and in the scalar one.
#include <gtest/gtest.h>

#include "engine_run.h"

namespace minitorch::simt {
namespace {

class Addressing : public testing::TestWithParam<Outcome (*)(const Launch&)> {
 protected:
  Outcome run_one(Launch launch, uint32_t shared = 0) {
    launch.checks = MtCheck_All;
    launch.dynamic_shared = shared;
    return GetParam()(launch);
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, Addressing, testing::Values(&run, &run_scalar),
                         [](const auto& about) {
                           return about.index == 0 ? "vector" : "scalar";
                         });

// Each thread adds up what it reaches by the several forms; the sums are NumPy-simple.
TEST_P(Addressing, IndexedOperandsCountElements) {
  Machine machine(module_text(R"(
.global .align 8 .u64 table[40] = {0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39,
  42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99};
.const .align 4 .u32 hundreds[4] = {100, 200, 300, 400};
.visible .entry sums(.param .u64 out, .param .u64 few[4]) {
  .reg .b32 %r<8>; .reg .b64 %d<16>; .reg .b16 %h<2>; .reg .pred %p<2>;
  .local .align 8 .u64 local0[4];
  .shared .align 4 .u32 tile[64];
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 8;
  add.u64 %d1, %d1, %d2;
  mov.u64 %d3, local0[0];
  st.local.u64 [%d3+24], 7;
  ld.local.u64 %d4, local0[3];         // 7
  ld.global.u64 %d5, table[%r1];       // 3 t
  ld.global.u64 %d6, table[%r1+2];     // 3 t + 6
  mov.u64 %d7, table[%d2];             // 8 t elements on
  setp.lt.u32 %p1, %r1, 4;
  mov.u64 %d8, 0;
  @%p1 ld.global.u64 %d8, [%d7];       // 24 t for t < 4
  and.b32 %r2, %r1, 3;
  cvt.u16.u32 %h1, %r2;
  ld.const.u32 %r3, hundreds[%h1];     // 100 (t % 4 + 1)
  st.shared.u32 tile[%r1], %r3;
  mov.u32 %r4, tile[%r1];
  ld.shared.u32 %r5, [%r4];
  cvt.u64.u32 %d9, %r5;
  ld.param.u64 %d10, few[1];
  ld.param.u64 %d11, few[%r2];
  add.u64 %d4, %d4, %d5; add.u64 %d4, %d4, %d6; add.u64 %d4, %d4, %d8;
  add.u64 %d4, %d4, %d9; add.u64 %d4, %d4, %d10; add.u64 %d4, %d4, %d11;
  st.global.u64 [%d1], %d4;
  ret;
})"));
  const uint64_t out = machine.upload(std::vector<uint64_t>(32, 0));
  const uint64_t few[4] = {1000, 2000, 3000, 4000};
  const Outcome outcome =
      run_one(machine.launch("sums", {1}, {32}, out, few[0], few[1], few[2], few[3]));
  ASSERT_TRUE(outcome.findings.empty()) << outcome.findings[0].detail;
  const auto got = machine.download<uint64_t>(out, 32);
  for (uint64_t t = 0; t < 32; ++t) {
    const uint64_t expected = 7 + 3 * t + 3 * (t + 2) + (t < 4 ? 24 * t : 0) +
                              100 * (t % 4 + 1) + 2000 + few[t % 4];
    EXPECT_EQ(got[t], expected) << t;
  }
}

TEST_P(Addressing, IndicesPastTheArrayAreFound) {
  Machine machine(module_text(R"(
.global .align 8 .u64 table[4] = {1, 2, 3, 4};
.visible .entry reach(.param .u64 out, .param .u32 first) {
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [first];
  ld.global.u64 %d2, table[%r1];
  st.global.u64 [%d1], %d2;
  ret;
})"));
  const uint64_t out = machine.upload(std::vector<uint64_t>(1, 0));
  EXPECT_TRUE(run_one(machine.launch("reach", {1}, {1}, out, 3u)).findings.empty());
  for (const uint32_t index : {4u, 0x10000000u, 0x20000000u, 0xffffffffu}) {
    const Outcome outcome = run_one(machine.launch("reach", {1}, {1}, out, index));
    ASSERT_FALSE(outcome.findings.empty()) << index;
    EXPECT_TRUE(outcome.stopped());
  }
}

// Halide's kernels name no variable: dynamic shared memory begins at [0].
constexpr const char* kByOffset = R"(
.extern .shared .align 16 .b8 all[];
.visible .entry turn(.param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %d<8>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  cvt.u64.u32 %d3, %r2;
  st.shared.u32 [%r2], %r1;
  bar.sync 0;
  xor.b32 %r3, %r2, 124;
  ld.shared.u32 %r4, [%r3];
  ld.shared.u32 %r5, [0 + 4];
  mov.u64 %d4, 0;
  cvta.shared.u64 %d5, %d4;
  ld.u32 %r6, [%d5+8];
  add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6;
  add.u64 %d1, %d1, %d3;
  st.global.u32 [%d1], %r4;
  ret;
}
.visible .entry past(.param .u64 address, .param .u32 wide) {
  .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<2>;
  ld.param.u64 %d1, [address]; ld.param.u32 %r1, [wide];
  cvt.u32.u64 %r2, %d1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 ld.shared.u32 %r3, [%d1];
  @!%p1 ld.shared.u32 %r3, [%r2];
  ret;
}
.visible .entry null_pointer() {
  .reg .b32 %r<2>; .reg .b64 %d<2>;
  mov.u64 %d1, 0;
  ld.u32 %r1, [%d1];
  ret;
})";

TEST_P(Addressing, SharedMemoryBeginsAtItsOffsetZero) {
  Machine machine(module_text(kByOffset));
  const uint64_t out = machine.upload(std::vector<uint32_t>(32, 0));
  const Outcome outcome = run_one(machine.launch("turn", {1}, {32}, out), 128);
  ASSERT_TRUE(outcome.findings.empty()) << outcome.findings[0].detail;
  const auto got = machine.download<uint32_t>(out, 32);
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(got[t], 31 - t + 1 + 2);
}

TEST_P(Addressing, OtherAddressesStayOutsideOfSharedMemory) {
  Machine machine(module_text(kByOffset));
  const uint64_t global = machine.upload(std::vector<uint32_t>(4, 0));
  const uint64_t addresses[] = {128,        126,           0xfffffffc,       0x01000000,
                                kLocalBase, kSharedWindow, ~uint64_t{0} - 3, global};
  for (const uint64_t address : addresses) {
    for (const uint32_t wide : {0u, 1u}) {
      if (wide == 0 && address >> 32 != 0) continue;
      const Outcome outcome =
          run_one(machine.launch("past", {1}, {1}, address, wide), 128);
      ASSERT_FALSE(outcome.findings.empty()) << std::hex << address << ' ' << wide;
      EXPECT_TRUE(outcome.stopped());
      const bool misaligned = address == 126;
      EXPECT_EQ(outcome.findings[0].kind,
                misaligned ? MtFinding_Misaligned : MtFinding_OobShared)
          << std::hex << address;
    }
  }
  // Without any shared memory not even offset 0 is inside; a null generic pointer never
  // means shared memory.
  EXPECT_EQ(
      run_one(machine.launch("past", {1}, {1}, uint64_t{0}, 1u)).findings.at(0).kind,
      MtFinding_OobShared);
  EXPECT_EQ(run_one(machine.launch("null_pointer", {1}, {1}), 128).findings.at(0).kind,
            MtFinding_NullPointer);
}

// Each base is `away` before its place, so that nearly all are below 0 or far outside.
// PTX ISA, "Addresses as operands": an immediate is added in the width of the register.
TEST_P(Addressing, ABaseOf32BitsAndItsImmediateWrap) {
  for (const int64_t away :
       {int64_t{16}, int64_t{4096}, int64_t{1} << 30, (int64_t{1} << 31) - 16,
        -(int64_t{1} << 31), -(int64_t{1} << 30), int64_t{-16}}) {
    std::string text = R"(.version 7.5
.target sm_80
.address_size 64
.visible .entry far(.param .u64 out, .param .u32 few[4]) {
  .reg .b32 %t, %r<20>; .reg .b64 %d<4>; .reg .pred %p;
  .shared .align 16 .b8 first[64]; .shared .align 16 .b8 tile[512];
  .shared .align 8 .b64 phases;
  .local .align 16 .b8 own[64];
  ld.param.u64 %d1, [out]; mov.u32 %t, %tid.x;
  mul.wide.u32 %d2, %t, 4; add.u64 %d1, %d1, %d2;
  mov.u32 %r1, tile; sub.u32 %r1, %r1, AWAY;
  mad.lo.u32 %r2, %t, 4, %r1;                       // up
  mad.lo.u32 %r3, %t, -4, %r1; add.u32 %r3, %r3, 124;  // down
  st.shared.u32 [%r2+AWAY], %t;
  bar.sync 0;
  ld.shared.u32 %r4, [%r3+AWAY];                    // 31 - t
  and.b32 %r5, %t, 7; mad.lo.u32 %r5, %r5, 16, %r1;
  ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r5+AWAY];
  add.u32 %r4, %r4, %r9;                            // 4 (t % 8) + 3
  bar.sync 0;
  red.shared.add.u32 [%r2+AWAY], 100;
  atom.shared.add.u32 %r6, [%r2+AWAY], 1;           // t + 100
  add.u32 %r4, %r4, %r6;
  setp.lt.u32 %p, %t, 5;
  @%p ld.shared.u8 %r7, [%r2+AWAY];                 // t + 101
  @%p add.u32 %r4, %r4, %r7;
  mov.u32 %r8, own; sub.u32 %r8, %r8, AWAY;
  st.local.u64 [%r8+AWAY], 5;
  ld.local.u32 %r8, [%r8+AWAY];                     // 5
  add.u32 %r4, %r4, %r8;
  mov.u32 %r9, few; sub.u32 %r9, %r9, AWAY;
  and.b32 %r10, %t, 3; mad.lo.u32 %r9, %r10, 4, %r9;
  ld.param.u32 %r9, [%r9+AWAY];                     // 1000 (t % 4)
  add.u32 %r4, %r4, %r9;
  st.global.u32 [%d1], %r4;
  add.u32 %r11, %r2, 256;
  cp.async.ca.shared.global [%r11+AWAY], [%d1], 4;
  cp.async.wait_all;
  ld.shared.u32 %r4, [%r11+AWAY];
  mov.u32 %r12, phases; sub.u32 %r12, %r12, AWAY;
  setp.eq.u32 %p, %t, 0;
  @%p mbarrier.init.shared.b64 [%r12+AWAY], 32;
  bar.sync 0;
  mbarrier.arrive.shared.b64 %d3, [%r12+AWAY];
  and.b32 %r13, %t, 7; mad.lo.u32 %r13, %r13, 16, %r1;
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r14}, [%r13+AWAY];  // word t: t + 101
  add.u32 %r4, %r4, %r14;
  bar.sync 0;
  st.global.u32 [%d1], %r4;
  ret;
})";
    for (size_t at; (at = text.find("AWAY")) != std::string::npos;)
      text.replace(at, 4, std::to_string(away));
    Machine machine(text);
    const uint64_t out = machine.upload(std::vector<uint32_t>(32, 0));
    const Outcome outcome =
        run_one(machine.launch("far", {1}, {32}, out, 0u, 1000u, 2000u, 3000u));
    ASSERT_TRUE(outcome.findings.empty()) << away << ": " << outcome.findings[0].kind;
    const auto got = machine.download<uint32_t>(out, 32);
    for (uint32_t t = 0; t < 32; ++t) {
      const uint32_t loaded =
          31 - t + 4 * (t % 8) + 3 + t + 100 + (t < 5 ? t + 101 : 0);
      EXPECT_EQ(got[t], loaded + 5 + 1000 * (t % 4) + t + 101) << t << ' ' << away;
    }
  }
}

TEST_P(Addressing, AWrappedAddressStaysInsideItsVariable) {
  Machine machine(module_text(R"(
.visible .entry before(.param .u32 offset) {
  .reg .b32 %r<4>;
  .shared .align 16 .b8 tile[64];
  ld.param.u32 %r1, [offset];
  mov.u32 %r2, tile;
  add.u32 %r2, %r2, %r1;
  st.shared.u32 [%r2+16], 1;
  ret;
})"));
  for (const int32_t offset : {-20, -24, 48, 52}) {
    const Outcome outcome = run_one(machine.launch("before", {1}, {1}, offset));
    ASSERT_FALSE(outcome.findings.empty()) << offset;
    EXPECT_EQ(outcome.findings[0].kind, MtFinding_OobShared) << offset;
  }
  for (const int32_t offset : {-16, 44})
    EXPECT_TRUE(run_one(machine.launch("before", {1}, {1}, offset)).findings.empty());
}

}  // namespace
}  // namespace minitorch::simt
