// An access is held to the variable or allocation that its address is derived from,
// also where another one follows; a pointer that may be one of several is not.
#include <gtest/gtest.h>

#include "engine_run.h"

namespace minitorch::emulator {
namespace {

// a and b lie one behind the other; `index` is added to the lane.
const char kShared[] = R"(
.visible .entry derived(.param .u32 index) {
  .reg .b32 %base, %at, %other, %lane, %v;
  .shared .align 4 .b8 a[128]; .shared .align 4 .b8 b[128];
  ld.param.u32 %v, [index]; mov.u32 %lane, %laneid; add.u32 %lane, %lane, %v;
  mov.u32 %base, a; mad.lo.u32 %at, %lane, 4, %base;
  st.shared.u32 [%at], %lane;
  mov.u32 %other, b; st.shared.u32 [%other+4], %lane;
  ret;
}
.visible .entry chosen(.param .u32 index) {
  .reg .b32 %at, %a, %b, %c, %lane, %v; .reg .pred %p;
  .shared .align 4 .b8 a2[128]; .shared .align 4 .b8 b2[128];
  ld.param.u32 %v, [index]; mov.u32 %lane, %laneid; add.u32 %lane, %lane, %v;
  mov.u32 %a, a2; mov.u32 %b, b2; setp.lt.u32 %p, %lane, 100;
  selp.u32 %c, %a, %b, %p; mad.lo.u32 %at, %lane, 4, %c;
  st.shared.u32 [%at], %lane;
  ret;
}
)";

const char kGlobal[] = R"(
.visible .entry reach(.param .u64 a, .param .u64 b) {
  .reg .b64 %a, %b, %c, %d, %e; .reg .b32 %v;
  ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.global.u32 %v, [%b];
  cvta.to.global.u64 %c, %a; cvt.u64.u32 %d, %v; add.u64 %e, %c, %d;
  st.global.u32 [%e], 1;
  ret;
}
)";

MtFinding only_finding(const Launch& launch) {
  const Outcome outcome = run(launch);
  EXPECT_EQ(outcome.findings.size(), 1u);
  return outcome.findings.empty() ? MtFinding{} : outcome.findings[0];
}

TEST(Bounds, OfOneSharedVariable) {
  Machine machine(module_text(kShared));
  EXPECT_TRUE(run(machine.launch("derived", {1}, {32}, 0u)).findings.empty());
  const MtFinding finding = only_finding(machine.launch("derived", {1}, {32}, 3u));
  EXPECT_EQ(finding.kind, MtFinding_OobShared);
  EXPECT_STREQ(finding.allocation_label, "a");
  EXPECT_EQ(finding.allocation_size, 128u);
  EXPECT_EQ(finding.allocation_offset, 128);
  EXPECT_EQ(finding.site.thread[0], 29u);
}

TEST(Bounds, OfAChosenPointerAreThoseOfTheBlock) {
  Machine machine(module_text(kShared));
  EXPECT_TRUE(run(machine.launch("chosen", {1}, {32}, 3u)).findings.empty());
  const MtFinding finding = only_finding(machine.launch("chosen", {1}, {32}, 33u));
  EXPECT_EQ(finding.kind, MtFinding_OobShared);
  EXPECT_EQ(finding.site.thread[0], 31u);
}

TEST(Bounds, OfTheArrayThatAParameterPointsTo) {
  Machine machine(module_text(kGlobal));
  const uint64_t a = machine.upload(std::vector<uint32_t>(64, 0));
  const uint64_t next = machine.upload(std::vector<uint32_t>(64, 0));
  machine.memory().set_label(a, "a");
  for (const uint32_t offset : {0u, 252u}) {
    const uint64_t by = machine.upload(std::vector<uint32_t>{offset});
    EXPECT_TRUE(run(machine.launch("reach", {1}, {1}, a, by)).findings.empty());
  }
  ASSERT_GT(next, a + 256);
  const auto far = static_cast<uint32_t>(next - a);
  const uint64_t by = machine.upload(std::vector<uint32_t>{far});
  const MtFinding finding = only_finding(machine.launch("reach", {1}, {1}, a, by));
  EXPECT_EQ(finding.kind, MtFinding_OobGlobal);
  EXPECT_STREQ(finding.allocation_label, "a");
  EXPECT_EQ(finding.allocation_offset, static_cast<int64_t>(far));
  EXPECT_EQ(machine.download<uint32_t>(next, 64), std::vector<uint32_t>(64, 0));
}

}  // namespace
}  // namespace minitorch::emulator
