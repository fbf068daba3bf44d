// Legal PTX that is not executed: it decodes to Unsupported instead of an error, and
// hints decode to nothing. The texts are the ISA's; ptxas assembles them.
#include <gtest/gtest.h>

#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

// The instruction before the `ret` of a kernel that declares all that the lines use.
Opcode decoded(const std::string& line) {
  const auto module = decode(
      ".version 8.6\n.target sm_90a\n.address_size 64\n"
      ".visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<20>;\n"
      ".shared .align 8 .b8 sm[64];\n" +
      line + "\nret;\n}\n");
  return module->functions.at(0).instructions.at(0).opcode;
}

class Refused : public testing::TestWithParam<const char*> {};

TEST_P(Refused, KeepsItsText) {
  const std::string line = GetParam();
  const Opcode opcode = decoded(line);
  EXPECT_EQ(opcode.op, Op::Unsupported);
  EXPECT_EQ(opcode.text, line.substr(0, line.find_first_of(" ;")));
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Refused,
    testing::Values(
        "vadd.u32.u32.u32.sat %r1, %r2.b0, %r3.h1, %r4;",
        "vset.u32.u32.eq %r1, %r2.b0, %r3;",
        "vadd4.u32.u32.u32 %r1, %r2.b3210, %r3.b7654, %r4;",
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [sm], 16;",
        "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [sm], 16;",
        "mbarrier.arrive.expect_tx.shared.b64 %rd1, [sm], 16;",
        "mbarrier.arrive_drop.expect_tx.shared.b64 %rd1, [sm], 16;",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];",
        "wgmma.fence.sync.aligned;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sm], "
        "[%rd1], 16, [sm];",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
        "bytes [sm], [%rd1, {%r1, %r2}], [sm];",
        "barrier.cluster.arrive.aligned;", "mapa.shared::cluster.u32 %r1, %r2, 1;",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [sm], {%r1};",
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, "
        "{%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%f0,%f1,%f2,%f3}, %r8, 0;",
        "red.global.add.v4.f32 [%rd1], {%f0,%f1,%f2,%f3};",
        "ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1];",
        "mov.u32 %r1, %cluster_ctaid.x;",
        "multimem.ld_reduce.relaxed.sys.global.add.f32 %f1, [%rd1];",
        "setmaxnreg.inc.sync.aligned.u32 96;", "fence.proxy.async;",
        "fence.mbarrier_init.release.cluster;", "alloca.u64 %rd1, 16;",
        "stacksave.u64 %rd1;",
        "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f4, %f5}];",
        "cvt.rn.satfinite.e4m3x2.f32 %r1, %f1, %f2;", "add.rn.f32x2 %rd1, %rd2, %rd3;",
        "min.f32 %f1, %f2, %f3, %f4;"));

TEST(Hints, ChangeNothing) {
  for (const char* line :
       {"createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;",
        "discard.global.L2 [%rd1], 128;", "griddepcontrol.wait;",
        "applypriority.global.L2::evict_normal [%rd1], 128;", "pmevent 1;"}) {
    EXPECT_EQ(decoded(line).op, Op::Nop) << line;
  }
  EXPECT_EQ(decoded("prefetch.global.L2::evict_last [%rd1];").op, Op::Prefetch);
  EXPECT_EQ(decoded("ld.global.L2::cache_hint.b32 %r1, [%rd1], %rd2;").op, Op::Ld);
  EXPECT_EQ(decoded("st.global.L2::cache_hint.v2.b32 [%rd1], {%r1,%r2}, %rd2;").op,
            Op::St);
  EXPECT_EQ(
      decoded("cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, %rd2;").op,
      Op::CpAsync);
}

}  // namespace
}  // namespace minitorch::ptx
