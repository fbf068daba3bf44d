// What is true of an opcode whatever its modifiers: the columns of opcodes.inc. Whoever
// wants to know something of an opcode reads a column here; whoever does something for
// each opcode has a switch without `default:`, or a table that `covers` proves to be
// whole.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/enumerators.h"
#include "ptx/opcode.h"

namespace minitorch::ptx {

/// Who executes it as one. Warp: the lanes that have come, or a mask of them, give each
/// other values. Block: the threads of the block.
enum class OpScope : uint8_t { Lane, Warp, Block };

/// What it does besides writing its results.
enum class Effect : uint8_t {
  None,
  Divide,  // of integers by zero: a finding
  Read,    // memory: one place or, of a warp, a fragment's
  Write,
  Atomic,  // reads and writes memory at once
  CopyStart,
  CopyCommit,
  CopyWait,
  Mbarrier,  // makes or ends an object in shared memory, or binds copies to it
  MbarrierArrive,
  MbarrierTest,
  Fence,
  Branch,
  Call,
  Leave,  // the function, or the kernel
  Trap,
  Meet,     // lanes of a warp wait for each other
  Barrier,  // threads of the block do, or say that they have come
  IndexCheck,
  Refuse,  // ends the launch: not executed
};

/// How undefined bits of the sources reach the result.
enum class Definedness : uint8_t {
  Defined,  // never: the result comes from elsewhere, or there is none
  Any,      // one undefined bit makes all of the result undefined
  Upward,   // ... of integers: that bit and those above it
  Bits,     // each bit makes that bit undefined
  And,      // ... where the other source is not a defined 0
  Or,       // ... where the other source is not a defined 1
  Select,   // from the source that the predicate chooses
  Moved,    // the first source's bits move as they are, the others say where to
  TwoMoved,
  AllMoved,
  Shuffled,  // that of the lane which is read
};

/// Where an undefined source comes to light; addresses always do.
enum class Use : uint8_t {
  Nothing,
  Store,     // it becomes a value in memory, or an argument
  Branch,    // it decides where to go on
  Exchange,  // other threads get it
  Steer,     // ... but the first source, which only travels
};

/// When all lanes of a warp that execute it together get one result.
enum class Uniformity : uint8_t {
  Sources,  // when they give the same sources
  Second,   // when their second source, the mask, is the same
  Loaded,   // when they read one place of memory that they share
  Always,
  Never,
};

/// How an integer result is made of the sources, where it is linear in some of them.
enum class Linear : uint8_t {
  No,
  Copy,
  Sum,
  Difference,
  Product,
  ProductSum,
  Shift,    // the first times a power of two
  Convert,  // to another width
};

/// Which counter of work an execution adds to, by an amount that its type may change.
enum class Counter : uint8_t {
  None,
  Flop,
  TwoFlops,
  Special,
  ApproximateSpecial,  // Special in its .approx form
  Tensor,
  Branch,
  Barrier,
};

/// Whether a block that follows from another (a replayed one) may hold it.
enum class Replay : uint8_t {
  Never,
  Plain,
  Lane,  // if the lanes have it in this form: no carries, no division by zero
};

struct OpcodeFacts {
  Op op;
  bool arithmetic;  // a row PTX_LANE
  OpScope scope;
  Effect effect;
  Definedness definedness;
  Use use;
  Uniformity uniformity;
  Counter counter;
  Replay replay;
  Linear linear;
};

inline constexpr OpcodeFacts kOpcodeFacts[] = {
#define PTX_OP(name, mnemonics, signature, types, second, groups, scope, effect, \
               definedness, use, uniformity, counter, replay)                    \
  {Op::name,                                                                     \
   false,                                                                        \
   OpScope::scope,                                                               \
   Effect::effect,                                                               \
   Definedness::definedness,                                                     \
   Use::use,                                                                     \
   Uniformity::uniformity,                                                       \
   Counter::counter,                                                             \
   Replay::replay,                                                               \
   Linear::No},
#define PTX_LANE(name, mnemonics, signature, types, second, groups, effect, \
                 definedness, uniformity, counter, linear)                  \
  {Op::name,                                                                \
   true,                                                                    \
   OpScope::Lane,                                                           \
   Effect::effect,                                                          \
   Definedness::definedness,                                                \
   Use::Nothing,                                                            \
   Uniformity::uniformity,                                                  \
   Counter::counter,                                                        \
   Replay::Lane,                                                            \
   Linear::linear},
#include "ptx/opcodes.inc"
#undef PTX_LANE
#undef PTX_OP
};
static_assert(base::rows_follow_enumerators<kOpcodeFacts>([](const OpcodeFacts& row) {
  return row.op;
}));

constexpr const OpcodeFacts& facts(Op op) {
  return kOpcodeFacts[static_cast<size_t>(op)];
}

/// An instruction on an mbarrier.
constexpr bool is_mbarrier(Op op) {
  const Effect effect = facts(op).effect;
  return effect == Effect::Mbarrier || effect == Effect::MbarrierArrive ||
         effect == Effect::MbarrierTest;
}

constexpr bool is_mbarrier_arrival(Op op) {
  return facts(op).effect == Effect::MbarrierArrive;
}

/// What stands behind it in the text does not always come next.
constexpr bool ends_block(Op op) {
  const Effect effect = facts(op).effect;
  return effect == Effect::Branch || effect == Effect::Leave || effect == Effect::Trap;
}

/// Ends, parks or splits a path of lanes: some of them may go on later than others, and
/// a guard is a branch around it.
constexpr bool interrupts_path(Op op) {
  switch (facts(op).effect) {
    case Effect::CopyStart:
    case Effect::CopyWait:
    case Effect::Branch:
    case Effect::Call:
    case Effect::Leave:
    case Effect::Trap:
    case Effect::Meet:
    case Effect::Barrier:
    case Effect::Refuse:
      return true;
    case Effect::Read:  // a warp reads and writes a matrix together
    case Effect::Write:
      return facts(op).scope != OpScope::Lane;
    case Effect::None:
    case Effect::Divide:
    case Effect::Atomic:
    case Effect::CopyCommit:
    case Effect::Mbarrier:
    case Effect::MbarrierArrive:
    case Effect::MbarrierTest:
    case Effect::Fence:
    case Effect::IndexCheck:
      return false;
  }
  return false;
}

/// Whether a table has a row with `op` for each opcode whose facts are `wanted`, once,
/// and no other. For a static_assert beside the table.
template <class Row, size_t n, class Wanted>
constexpr bool covers(const Row (&rows)[n], Wanted wanted) {
  for (const OpcodeFacts& each : kOpcodeFacts) {
    size_t found = 0;
    for (const Row& row : rows) found += row.op == each.op;
    if (found != (wanted(each) ? 1 : 0)) return false;
  }
  return true;
}

}  // namespace minitorch::ptx
