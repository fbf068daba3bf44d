// Opcode texts: every modifier ends up in its field, and misspelt ones are refused with
// a suggestion. The expected meanings are those of the PTX ISA manual.
#include <gtest/gtest.h>

#include <set>

#include "ptx/decode.h"
#include "ptx/opcode_table.h"

namespace minitorch::ptx {
namespace {

Opcode read(std::string_view text) { return parse_opcode(text, {1, 1}); }

std::string message(std::string_view text) {
  try {
    read(text);
  } catch (const PtxError& error) {
    return error.what();
  }
  return "";
}

TEST(Opcode, ArithmeticModifiers) {
  const Opcode fma = read("fma.rz.ftz.sat.f32");
  EXPECT_EQ(fma.op, Op::Fma);
  EXPECT_EQ(fma.type, Type::F32);
  EXPECT_EQ(fma.rounding, Rounding::Zero);
  EXPECT_TRUE(fma.ftz && fma.sat);
  EXPECT_EQ(fma.text, "fma.rz.ftz.sat.f32");
  EXPECT_EQ(read("mul.wide.s32").part, Part::Wide);
  EXPECT_EQ(read("mul.hi.u64").part, Part::High);
  EXPECT_TRUE(read("div.approx.f32").approx);
  EXPECT_TRUE(read("div.full.f32").full);
  EXPECT_TRUE(read("max.NaN.f32").nan);
  EXPECT_TRUE(read("fma.rn.relu.f16x2").relu);
}

TEST(Opcode, CarryFormsShareTheirOp) {
  const Opcode first = read("add.cc.u32"), middle = read("addc.cc.u32");
  EXPECT_EQ(first.op, Op::Add);
  EXPECT_TRUE(first.carry_out && !first.carry_in);
  EXPECT_EQ(middle.op, Op::Add);
  EXPECT_TRUE(middle.carry_out && middle.carry_in);
  EXPECT_EQ(read("subc.u32").op, Op::Sub);
  EXPECT_TRUE(read("madc.hi.u32").carry_in);
  EXPECT_FALSE(read("mad.lo.cc.u32").carry_in);
}

TEST(Opcode, WordsThatMeanDifferentThings) {
  EXPECT_EQ(read("setp.lo.and.u32").comparison, Comparison::Lo);
  EXPECT_EQ(read("setp.lo.and.u32").combine, Combine::And);
  EXPECT_EQ(read("mul.lo.u32").part, Part::Low);
  EXPECT_EQ(read("atom.global.and.b32").atomic, AtomicOp::And);
  EXPECT_EQ(read("bar.red.and.pred").collective, Collective::And);
  EXPECT_EQ(read("vote.sync.uni.pred").collective, Collective::Uni);
  EXPECT_TRUE(read("bra.uni").uniform);
}

TEST(Opcode, TwoTypes) {
  const Opcode convert = read("cvt.rni.sat.s8.f32");
  EXPECT_EQ(convert.type, Type::S8);
  EXPECT_EQ(convert.source_type, Type::F32);
  EXPECT_EQ(convert.rounding, Rounding::NearestInt);
  EXPECT_EQ(read("set.eq.f16.f16").source_type, Type::F16);
  EXPECT_EQ(read("dp4a.s32.u32").source_type, Type::U32);
  EXPECT_EQ(read("add.s32").source_type, Type::S32);
}

TEST(Opcode, Memory) {
  const Opcode load = read("ld.relaxed.gpu.global.L1::no_allocate.v4.f32");
  EXPECT_EQ(load.space, Space::Global);
  EXPECT_EQ(load.order, Order::Relaxed);
  EXPECT_EQ(load.scope, Scope::Gpu);
  EXPECT_EQ(load.vector, 4);
  EXPECT_EQ(read("ld.f32").space, Space::Generic);
  EXPECT_EQ(read("st.shared::cta.b8").space, Space::Shared);
  EXPECT_TRUE(read("ld.global.nc.f32").non_coherent);
  EXPECT_TRUE(read("cvta.to.shared.u64").to);
  EXPECT_FALSE(read("cvta.shared.u64").to);
  EXPECT_EQ(read("membar.gl").scope, Scope::Gpu);
  EXPECT_EQ(read("fence.sc.sys").order, Order::SeqCst);
  EXPECT_EQ(read("cp.async.cg.shared.global").op, Op::CpAsync);
}

TEST(Opcode, BarriersAndWarps) {
  EXPECT_TRUE(read("bar.sync").aligned);
  EXPECT_FALSE(read("barrier.sync").aligned);
  EXPECT_TRUE(read("barrier.sync.aligned").aligned);
  EXPECT_EQ(read("bar.warp.sync").op, Op::BarWarpSync);
  EXPECT_EQ(read("shfl.sync.bfly.b32").shuffle, Shuffle::Butterfly);
  EXPECT_EQ(read("match.all.sync.b64").collective, Collective::All);
  EXPECT_TRUE(read("shf.l.wrap.b32").left && read("shf.l.wrap.b32").wrap);
  EXPECT_TRUE(read("bfind.shiftamt.u32").full);
  EXPECT_EQ(read("testp.subnormal.f32").float_class, FloatClass::Subnormal);
}

// The texts are the ISA's; ptxas 13.0 assembles those that are read and no other.
TEST(Opcode, MbarriersSayWhatTheyDo) {
  EXPECT_EQ(read("mbarrier.init.shared.b64").op, Op::MbarrierInit);
  EXPECT_EQ(read("mbarrier.inval.b64").op, Op::MbarrierInval);
  EXPECT_EQ(read("mbarrier.arrive.shared::cta.b64").op, Op::MbarrierArrive);
  EXPECT_EQ(read("mbarrier.arrive.noComplete.release.cta.shared.b64").op,
            Op::MbarrierArrivePart);
  EXPECT_EQ(read("mbarrier.arrive_drop.shared.b64").op, Op::MbarrierDrop);
  EXPECT_EQ(read("mbarrier.arrive_drop.noComplete.b64").op, Op::MbarrierDropPart);
  EXPECT_EQ(read("mbarrier.test_wait.acquire.cta.b64").order, Order::Acquire);
  EXPECT_EQ(read("mbarrier.try_wait.relaxed.cluster.b64").order, Order::Relaxed);
  EXPECT_EQ(read("mbarrier.test_wait.parity.shared.b64").op, Op::MbarrierTestParity);
  EXPECT_EQ(read("mbarrier.try_wait.parity.b64").op, Op::MbarrierTryParity);
  EXPECT_EQ(read("mbarrier.pending_count.b64").op, Op::MbarrierPending);
  EXPECT_EQ(read("cp.async.mbarrier.arrive.shared.b64").op, Op::CpAsyncArrive);
  EXPECT_EQ(read("cp.async.mbarrier.arrive.noinc.b64").op, Op::CpAsyncArriveNoinc);
  for (const char* text :
       {"mbarrier.init.shared", "mbarrier.init.shared.u64", "mbarrier.init.global.b64",
        "mbarrier.start.shared.b64", "mbarrier.arrive.acquire.cta.b64",
        "mbarrier.arrive.release.b64", "mbarrier.arrive.cta.b64",
        "mbarrier.arrive.release.gpu.b64", "mbarrier.test_wait.release.cta.b64",
        "mbarrier.pending_count.shared.b64", "cp.async.mbarrier.arrive.shared"}) {
    EXPECT_THROW(read(text), PtxError) << text;
  }
}

TEST(Opcode, LegalButUnsupportedKeepsItsText) {
  for (const char* text :
       {"tex.2d.v4.f32.f32", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "mbarrier.arrive.expect_tx.shared.b64", "cp.async.bulk.commit_group",
        "cvt.rn.satfinite.e4m3x2.f32",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
        "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32", "vadd.s32.s32.s32",
        "atom.global.v2.f32.add", "prefetch.tensormap", "shfl.up.b32", "ld.global.b128",
        "fence.proxy.async"}) {
    EXPECT_EQ(read(text).op, Op::Unsupported) << text;
    EXPECT_EQ(read(text).text, text);
  }
}

TEST(Opcode, Matrices) {
  const Opcode product =
      read("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32");
  EXPECT_EQ(product.op, Op::Mma);
  EXPECT_TRUE(product.sat);
  const MatrixForm& form = product.matrix;
  EXPECT_EQ(form.m, 16);
  EXPECT_EQ(form.n, 8);
  EXPECT_EQ(form.k, 32);
  EXPECT_EQ(form.a, Type::S8);
  EXPECT_EQ(form.b, Type::U8);
  EXPECT_EQ(form.d, Type::S32);
  EXPECT_TRUE(!form.a_column && form.b_column);
  const Opcode load = read("wmma.load.b.sync.aligned.col.m8n32k16.shared.bf16");
  EXPECT_EQ(load.matrix.fragment, Fragment::B);
  EXPECT_TRUE(load.matrix.b_column);
  EXPECT_EQ(load.space, Space::Shared);
  EXPECT_EQ(load.vector, 8);
  EXPECT_EQ(read("wmma.load.a.sync.aligned.row.m8n8k4.f64").type, Type::B64);
  EXPECT_TRUE(read("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16").matrix.transposed);
  EXPECT_EQ(read("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32")
                .matrix.binary_and,
            true);
  EXPECT_NE(message("mma.sync.aligned.m16n8k16.rwo.col.f32.f16.f16.f32").find("'.rwo'"),
            std::string::npos);
}

TEST(Opcode, MistakesAreRefusedWithASuggestion) {
  EXPECT_NE(
      message("ld.globl.f32").find("[ptx] got 'ld.globl.f32'; need one of ld.global"),
      std::string::npos)
      << message("ld.globl.f32");
  EXPECT_NE(message("fmaa.rn.f32").find("need a PTX instruction such as"),
            std::string::npos);
  for (const char* text :
       {"add", "add.b32", "add.f32.f32", "mul.s32", "setp.s32", "atom.global.u32",
        "shfl.sync.b32", "cvt.f32", "add.rn.rz.f32", "and.s32", "membar", "add..s32",
        "add.s32.", "bra.s32"})
    EXPECT_NE(message(text), "") << text;
}

TEST(Opcode, EveryMnemonicOfTheTableIsFoundAndUnique) {
  std::set<std::string> seen;
#define PTX_OP(name, mnemonics, ...) {std::string(mnemonics), Op::name},
#define PTX_LANE(...) PTX_OP(__VA_ARGS__)
  const std::pair<std::string, Op> rows[] = {
#include "ptx/opcodes.inc"
  };
#undef PTX_LANE
#undef PTX_OP
  for (const auto& [spellings, op] : rows) {
    EXPECT_EQ(row_of(op).op, op);
    for (size_t start = 0; start < spellings.size();) {
      const size_t end = std::min(spellings.find('|', start), spellings.size());
      const std::string word = spellings.substr(start, end - start);
      EXPECT_TRUE(seen.insert(word).second) << word << " stands twice";
      ASSERT_TRUE(mnemonics().contains(word)) << word;
      EXPECT_EQ(mnemonics().at(word).row->op, op);
      start = end + 1;
    }
  }
}

TEST(Opcode, TypesKnowTheirSize) {
  EXPECT_EQ(size_of(Type::Pred), 0u);
  EXPECT_EQ(size_of(Type::BF16), 2u);
  EXPECT_EQ(size_of(Type::F16x2), 4u);
  EXPECT_EQ(size_of(Type::B128), 16u);
  EXPECT_TRUE(is_float(Type::BF16x2) && !is_float(Type::S64));
  EXPECT_TRUE(is_signed(Type::S8) && !is_signed(Type::U8));
  EXPECT_EQ(find_type("bf16x2"), Type::BF16x2);
  EXPECT_EQ(find_type("f33"), Type::None);
}

}  // namespace
}  // namespace minitorch::ptx
