// The tests of what opcodes.inc says of each opcode beside how it is written: the two
// must agree.
#include <gtest/gtest.h>

#include "ptx/opcode_facts.h"
#include "ptx/opcode_table.h"

namespace minitorch::ptx {
namespace {

bool has_address(const OpcodeRow& row) {
  return row.signature.find('A') != std::string_view::npos;
}
bool has_result(const OpcodeRow& row) { return row.signature.find('=') > 0; }
bool has_sources(const OpcodeRow& row) {
  return row.signature.find('=') + 1 < row.signature.size();
}

TEST(OpcodeFacts, TouchMemoryThroughAnAddress) {
  for (const OpcodeFacts& each : kOpcodeFacts) {
    const OpcodeRow& row = row_of(each.op);
    const bool touches = each.effect == Effect::Read || each.effect == Effect::Write ||
                         each.effect == Effect::Atomic ||
                         each.effect == Effect::CopyStart || is_mbarrier(each.op);
    // A prefetch only names memory.
    if (each.op != Op::Prefetch) {
      EXPECT_EQ(touches, has_address(row)) << row.mnemonics;
    }
  }
}

TEST(OpcodeFacts, OfLanesComputeResultsFromSources) {
  for (const OpcodeFacts& each : kOpcodeFacts) {
    const OpcodeRow& row = row_of(each.op);
    if (!each.arithmetic) continue;
    EXPECT_TRUE(has_result(row) && has_sources(row)) << row.mnemonics;
    EXPECT_NE(each.definedness, Definedness::Defined) << row.mnemonics;
    EXPECT_FALSE(interrupts_path(each.op)) << row.mnemonics;
  }
}

TEST(OpcodeFacts, LetResultsBeUndefinedOnlyWhereSourcesDecideThem) {
  for (const OpcodeFacts& each : kOpcodeFacts) {
    const OpcodeRow& row = row_of(each.op);
    if (each.definedness == Definedness::Defined) continue;
    EXPECT_TRUE(has_result(row) && has_sources(row)) << row.mnemonics;
    EXPECT_FALSE(has_address(row)) << row.mnemonics;
  }
}

TEST(OpcodeFacts, NameOneScopeForBarriersAndOneForWarps) {
  for (const OpcodeFacts& each : kOpcodeFacts) {
    const std::string_view name = row_of(each.op).mnemonics;
    EXPECT_EQ(each.scope == OpScope::Block, each.effect == Effect::Barrier) << name;
    EXPECT_EQ(each.counter == Counter::Barrier, each.effect == Effect::Barrier) << name;
    EXPECT_EQ(each.counter == Counter::Branch, each.effect == Effect::Branch) << name;
    if (each.effect == Effect::Meet) {
      EXPECT_EQ(each.scope, OpScope::Warp) << name;
    }
  }
}

// A replayed block is never asked to wait, to meet others or to go another way.
TEST(OpcodeFacts, ReplayOnlyWhatNeedsNobodyElse) {
  for (const OpcodeFacts& each : kOpcodeFacts) {
    const bool waits = each.scope != OpScope::Lane || each.effect == Effect::Atomic ||
                       each.effect == Effect::Fence || is_mbarrier(each.op) ||
                       each.effect == Effect::Call || each.effect == Effect::Trap;
    if (waits) {
      EXPECT_EQ(each.replay, Replay::Never) << row_of(each.op).mnemonics;
    }
  }
}

TEST(OpcodeFacts, CoverATableWithOneRowEach) {
  struct Row {
    Op op;
  };
  const auto divides = [](const OpcodeFacts& facts) {
    return facts.effect == Effect::Divide;
  };
  constexpr Row kBoth[] = {{Op::Rem}, {Op::Div}}, kOne[] = {{Op::Div}},
                kTwice[] = {{Op::Div}, {Op::Rem}, {Op::Div}},
                kOther[] = {{Op::Div}, {Op::Rem}, {Op::Mul}};
  EXPECT_TRUE(covers(kBoth, divides));
  EXPECT_FALSE(covers(kOne, divides));
  EXPECT_FALSE(covers(kTwice, divides));
  EXPECT_FALSE(covers(kOther, divides));
}

}  // namespace
}  // namespace minitorch::ptx
