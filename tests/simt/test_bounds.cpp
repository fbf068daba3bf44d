// An access is held to the variable or allocation that its address is derived from,
// also where another one follows; a pointer that may be one of several is not.
#include <gtest/gtest.h>

#include "engine_run.h"

namespace minitorch::simt {
namespace {

// a and b lie one behind the other; `index` is added to the lane.
const char kSharedBounds[] = R"(
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

// Reads a cell of `head`, as far behind its start as `index` says.
const char kParameters[] = R"(
.visible .entry pick(.param .align 4 .b8 head[8], .param .u32 index, .param .u64 out,
                     .param .align 4 .b8 tail[8]) {
  .reg .b64 %base, %at, %by, %out; .reg .b32 %i, %v;
  mov.b64 %base, head; ld.param.u32 %i, [index]; ld.param.u64 %out, [out];
  mul.wide.s32 %by, %i, 4; add.s64 %at, %base, %by;
  ld.param.u32 %v, [%at]; st.global.u32 [%out], %v;
  ret;
}
.visible .entry pick_any(.param .align 4 .b8 head[8], .param .u32 index,
                         .param .u64 out, .param .align 4 .b8 tail[8]) {
  .reg .b64 %a, %b, %base, %at, %by, %out; .reg .b32 %i, %v; .reg .pred %p;
  mov.b64 %a, head; mov.b64 %b, tail; ld.param.u32 %i, [index];
  ld.param.u64 %out, [out]; setp.ge.s32 %p, %i, 0; selp.b64 %base, %a, %b, %p;
  mul.wide.s32 %by, %i, 4; add.s64 %at, %base, %by;
  ld.param.u32 %v, [%at]; st.global.u32 [%out], %v;
  ret;
}
)";
constexpr uint64_t kHead = 0x2200000011, kTail = 0x4400000033;

MtFinding only_finding(const Launch& launch) {
  const Outcome outcome = run(launch);
  EXPECT_EQ(outcome.findings.size(), 1u);
  return outcome.findings.empty() ? MtFinding{} : outcome.findings[0];
}

TEST(Bounds, OfOneSharedVariable) {
  Machine machine(module_text(kSharedBounds));
  EXPECT_TRUE(run(machine.launch("derived", {1}, {32}, 0u)).findings.empty());
  const MtFinding finding = only_finding(machine.launch("derived", {1}, {32}, 3u));
  EXPECT_EQ(finding.kind, MtFinding_OobShared);
  EXPECT_STREQ(finding.allocation_label, "a");
  EXPECT_EQ(finding.allocation_size, 128u);
  EXPECT_EQ(finding.allocation_offset, 128);
  EXPECT_EQ(finding.site.thread[0], 29u);
}

// Each access is of `size` bytes behind %at (shared), %wide (generic), %x (global).
struct Reach {
  const char* name;
  const char* text;
  uint32_t size;
  bool global = false;
};
const Reach kReaches[] = {
    {"Vector", "st.shared.v4.u32 [%at], {%v, %v, %v, %v};", 16},
    {"GenericVector", "ld.v2.u64 {%y, %y}, [%wide];", 16},
    {"Atomic", "atom.shared.add.u32 %v, [%at], 1;", 4},
    {"GenericReduction", "red.add.u64 [%wide], 1;", 8},
    {"Mbarrier", "mbarrier.init.shared.b64 [%at], 32;", 8},
    {"GenericMbarrier", "mbarrier.init.b64 [%wide], 32;", 8},
    {"Copy", "cp.async.ca.shared.global [%at], [%x0], 8; cp.async.wait_all;", 8},
    {"CopySource", "cp.async.ca.shared.global [%base], [%x], 8; cp.async.wait_all;", 8,
     true},
    {"PartOfACopySource",
     "cp.async.ca.shared.global [%base], [%x], 8, %six; cp.async.wait_all;", 6, true},
    {"MatrixRows", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v}, [%at];", 16},
    {"FragmentLoad",
     "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16"
     " {%v, %v, %v, %v, %v, %v, %v, %v}, [%at], 16;",
     512},
    {"GenericFragmentLoad",
     "wmma.load.b.sync.aligned.col.m16n16k16.f16"
     " {%v, %v, %v, %v, %v, %v, %v, %v}, [%wide], 16;",
     512},
    {"FragmentOfStride",  // its last row begins at 15 strides of 8 elements
     "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16"
     " {%v, %v, %v, %v, %v, %v, %v, %v}, [%at], 8;",
     272},
    {"FragmentStore",
     "wmma.store.d.sync.aligned.col.m16n16k16.shared.f16 [%at], {%v, %v, %v, %v}, 16;",
     512},
    {"GlobalFragmentStore",
     "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%x], {%v, %v, %v, %v}, 16;",
     512, true},
};

class Reaches : public testing::TestWithParam<Reach> {};

TEST_P(Reaches, EndWithTheArrayThatWasMeant) {
  const Reach& row = GetParam();
  Machine machine(
      std::string(".version 7.5\n.target sm_80\n.address_size 64\n"
                  ".visible .entry held(.param .u64 x, .param .u32 by) {\n"
                  ".reg .b32 %base, %at, %by, %v, %six;\n"
                  ".reg .b64 %x, %x0, %wide, %far, %y;\n"
                  ".shared .align 32 .b8 a[544]; .shared .align 32 .b8 b[1024];\n"
                  "ld.param.u64 %x0, [x]; ld.param.u32 %by, [by];\n"
                  "cvt.u64.u32 %far, %by; add.u64 %x, %x0, %far;\n"
                  "mov.u32 %base, a; add.u32 %at, %base, %by;\n"
                  "mov.u64 %wide, a; cvta.shared.u64 %wide, %wide;\n"
                  "add.u64 %wide, %wide, %far;\n"
                  "mov.u32 %v, b; mov.u32 %v, 0; mov.u32 %six, 6;\n") +
      row.text + "\nret; }\n");
  const uint64_t x = machine.upload(std::vector<uint8_t>(544, 0));
  const uint64_t next = machine.upload(std::vector<uint8_t>(4096, 0));
  ASSERT_GT(next, x);
  const uint32_t last = (544 - row.size) / 16 * 16;
  const auto outside = row.global ? static_cast<uint32_t>(next - x) : last + 32;
  for (const uint32_t by : {last, outside}) {
    const Outcome outcome = run(machine.launch("held", {1}, {32}, x, by));
    if (by == last) {
      EXPECT_TRUE(outcome.findings.empty()) << outcome.findings[0].kind;
      continue;
    }
    ASSERT_EQ(outcome.findings.size(), 1u);
    EXPECT_EQ(outcome.findings[0].kind,
              row.global ? MtFinding_OobGlobal : MtFinding_OobShared);
    EXPECT_EQ(outcome.findings[0].allocation_size, 544u);
  }
}

INSTANTIATE_TEST_SUITE_P(Accesses, Reaches, testing::ValuesIn(kReaches),
                         [](const auto& info) { return info.param.name; });

TEST(Bounds, OfAChosenPointerAreThoseOfTheBlock) {
  Machine machine(module_text(kSharedBounds));
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

TEST(Bounds, OfAParameterThatIsIndexed) {
  Machine machine(module_text(kParameters));
  const uint64_t out = machine.upload(std::vector<uint32_t>(1, 0));
  const auto launch = [&](const char* kernel, int32_t index) {
    return machine.launch(kernel, {1}, {32}, kHead, index, out, kTail);
  };
  for (const int32_t index : {0, 1}) {
    EXPECT_TRUE(run(launch("pick", index)).findings.empty());
    EXPECT_EQ(machine.download<uint32_t>(out, 1)[0], kHead >> 32 * index & 0xffffffff);
  }
  // The next parameters begin at index 2, and the last ends at index 8.
  for (const int32_t index : {2, 6, 7, 8, 1000, -1, -1000, 0x7fffffff, -0x7fffffff}) {
    const MtFinding finding = only_finding(launch("pick", index));
    EXPECT_EQ(finding.kind, MtFinding_OobConst) << index;
    EXPECT_EQ(finding.space, MtSpace_Param);
    EXPECT_EQ(finding.access, MtAccess_Read);
    EXPECT_EQ(finding.size, 4u);
    EXPECT_EQ(finding.parameter_index, 0);
    EXPECT_STREQ(finding.allocation_label, "head");
    EXPECT_EQ(finding.allocation_size, 8u);
    EXPECT_EQ(finding.allocation_offset, int64_t{4} * index);
  }
}

TEST(Bounds, OfOneOfSeveralParametersAreThoseOfAll) {
  Machine machine(module_text(kParameters));
  const uint64_t out = machine.upload(std::vector<uint32_t>(1, 0));
  const auto launch = [&](int32_t index) {
    return machine.launch("pick_any", {1}, {1}, kHead, index, out, kTail);
  };
  EXPECT_TRUE(run(launch(7)).findings.empty());  // the last cell of `tail`
  EXPECT_EQ(machine.download<uint32_t>(out, 1)[0], kTail >> 32);
  const MtFinding finding = only_finding(launch(8));
  EXPECT_EQ(finding.kind, MtFinding_OobConst);
  EXPECT_STREQ(finding.allocation_label, "tail");
  EXPECT_EQ(finding.parameter_index, 3);
  EXPECT_EQ(finding.allocation_offset, 8);
  for (const int32_t index : {8, 1000, -1000}) {
    const Outcome scalar = run_scalar(launch(index));
    const Outcome engine = run(launch(index));
    ASSERT_EQ(scalar.findings.size(), 1u);
    ASSERT_EQ(engine.findings.size(), 1u);
    EXPECT_EQ(scalar.findings[0].kind, engine.findings[0].kind);
    EXPECT_EQ(scalar.findings[0].address, engine.findings[0].address);
    EXPECT_EQ(scalar.findings[0].parameter_index, engine.findings[0].parameter_index);
  }
}

}  // namespace
}  // namespace minitorch::simt
