// The choice of handlers: one Engine for each instruction set.
#pragma once

#include "simt/lanes/arithmetic.h"
#include "simt/memory/memory_form.h"
#include "simt/observing/probe.h"

namespace minitorch::simt {

/// Steps that are not PTX instructions one to one, or that steer paths. Operands:
enum class Control : uint8_t {
  Branch,         // a predicate row, b step delta, c step delta of the join marker (0:
                  // none), d instruction of the target
  BranchNegated,  // the same, taken where the predicate is false
  Jump,           // b, d as Branch
  JumpTable,      // a index row, e table, c as Branch
  Join,           // a join marker
  Guard,          // a predicate row, b steps to skip when no lane executes
  GuardNegated,
  Unguard,
  Exit,
  Call,          // b callee
  CallIndirect,  // a address row
  CallVprintf,   // calls of the device runtime
  CallMalloc,
  CallFree,
  CallAssert,
  Return,
  Trap,
  Unsupported,
  CheckDivision,  // reports the lanes that divided by zero
  CheckIndex,     // a index, b extent row, e number of the check
  SpinHint,       // what follows is typical of spin loops; d cost, a Looks; b row of
                  // the address that it looks at (kNoRow: none), immediate: offset, c
                  // bytes of the row's lanes
  Fence,          // immediate: ptx::Scope
  Barrier,        // a id, b count row (kNoRow: all), c 1: they may differ by lane, d
                  // result, e predicate; immediate: BarrierForm
  Clock,          // d; immediate: 0 clock, 1 clock64, 2 globaltimer, 3 their high half
  IsSpace,        // d predicate, a address, immediate: window
  ClearPattern,   // d was written by a step that clears another pattern
  SignExtend8,    // d in place: to 16 bits of a row
  SignExtend8To32,
  SignExtend16To32,
  LoadSlot,         // d row, a first word's row, immediate byte offset, b bytes
  LoadParameterAt,  // d, a address row (offset in the own parameters), b bytes, d2
                    // the parameter that is meant, or kNone
  StartCopy,  // cp.async: a address row, immediate offset, rows as a store, e access
  CommitCopies,
  NextCopy,    // a row of groups that may stay away (kNoRow: none), d address row, b c
               // d2 e rows of words; immediate: steps to the stores of 16, 8, 4 bytes
               // and past them, 16 bits each
  AgainCopy,   // b steps back
  NoteSource,  // of the copy that StartCopy made: a address row, immediate offset, b
               // row of its bytes (kNoRow: all), d 1: b is a predicate that says none
  CheckSources,  // before a store: a, immediate, e as the store
  MbarrierInit,  // a address row, immediate offset, e access, c bits of mbarrier.h; b
                 // count
  MbarrierInval,
  MbarrierArrive,   // b count row (kNoRow: 1), d row of the state before
  MbarrierTest,     // b row of a state or a parity, d predicate
  MbarrierPending,  // d, a row of a state
  CopyArrive,       // cp.async.mbarrier.arrive
  StoreSlot,        // a row, d first word's row, the rest as LoadSlot
};

/// What a spin loop's typical instructions (compare-and-swap, volatile load, sleep;
/// less so other atomics) cost of a path's time slice, so that spinning paths yield
/// soon.
inline constexpr int64_t kSpinCost = 1024, kAtomicCost = 64;

/// What an instruction that is typical of spin loops looks at: memory that the block
/// alone may change, or others as well.
enum class Looks : uint8_t { Nowhere, Inside, Outside };

/// What a test costs of a path's time slice, so that who waits yields soon.
inline constexpr int64_t kPollCost = 1 << 14;

/// How an mbarrier instruction differs from the plainest of its kind: Step::c.
inline constexpr uint32_t kMbarrierGeneric = 1,  // the address names its space
    kMbarrierDrops = 2,  // fewer arrivals from the next phase on
    kMbarrierPart = 4,   // .noComplete
    kMbarrierRelaxed = 8, kMbarrierParity = 16,
                          kMbarrierCounted = 32;  // cp.async.mbarrier.arrive.noinc

enum class BarrierForm : uint8_t { Sync, Arrive, Popc, And, Or };

inline constexpr uint32_t kNoRow = 0xffffffffu;

struct Engine {
  Isa isa;
  HandlerPair (*memory)(const MemoryForm& form);
  /// Loads and stores of global memory by strided patterns that have been checked;
  /// `contiguous`: the lanes' elements follow each other.
  HandlerPair (*unchecked)(const MemoryForm& form, bool contiguous);
  HandlerPair (*control)(Control control);
  HandlerPair (*collective)(const ptx::Opcode& opcode);
  /// The same for shuffles that carry shadows: those of the source and the destination
  /// are rows a and d of the next step.
  HandlerPair (*shadowed_shuffle)(ptx::Shuffle mode);
  HandlerPair (*probe)(Probe probe, const MemoryForm& form);
  Handler fused_dot;  // see fused_dot.h; null where the instruction set has none
};

const Engine& find_engine(Isa isa);

}  // namespace minitorch::simt
