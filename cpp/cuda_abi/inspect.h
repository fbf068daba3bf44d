// The emulator's inspection interface: what it exports beside the cu* functions, as
// CUPTI stands beside a driver. Plain C structs, declarations only. A real libcuda has
// none of these symbols: `cuda_client::Api` then leaves the entries null.
#pragma once

#include "cuda_abi/driver_types.h"

extern "C" {

enum MtFindingKind : int32_t {
#define FINDING_KIND(name, spelled) MtFinding_##name,
#include "cuda_abi/finding_kinds.inc"
#undef FINDING_KIND
  MtFinding_Count,
};

/// Cases of a kind that want advice of their own (findings/remedies.inc).
enum MtRemedy : int32_t {
  MtRemedy_OfKind,
  MtRemedy_DynamicSharedSize,     // the launch gave no dynamic shared memory
  MtRemedy_FreeLater,             // of the kernel's own malloc
  MtRemedy_InitialiseBarrier,     // no valid mbarrier is there
  MtRemedy_CountArrivals,         // an mbarrier's arrivals do not add up
  MtRemedy_LaunchCooperatively,   // grid.sync() trapped
  MtRemedy_AtomicOrSecondKernel,  // the two are of different blocks
  MtRemedy_BlockBarrier,          // of two warps of a block
  MtRemedy_OneWarpBarrier,        // of a block of one warp
  MtRemedy_BlockOrWarpBarrier,    // of one warp of several
  MtRemedy_SameValue,             // both store the same value
  MtRemedy_AwaitCopy,             // an asynchronous copy's destination
  MtRemedy_AwaitCopyOfSource,     // its source
  MtRemedy_AtomicUpdate,          // both read the element, change it and write it
  MtRemedy_AtomicExtremum,        // both compare with the element and then write it
  MtRemedy_OwnRandomState,        // both draw numbers from one state
  MtRemedy_OneDynamicArray,       // two arrays of dynamic shared memory
  MtRemedy_Count,
};

enum MtSpace : int32_t {
  MtSpace_None,
  MtSpace_Global,
  MtSpace_Shared,
  MtSpace_Local,
  MtSpace_Const,
  MtSpace_Param,
  MtSpace_Generic,
};

/// What a kernel did to memory; None where a finding is not about memory. The copies
/// are asynchronous ones, as the other access of a race.
enum MtAccess : int32_t {
  MtAccess_None,
  MtAccess_Read,
  MtAccess_Write,
  MtAccess_Atomic,
  MtAccess_CopyTo,
  MtAccess_CopyFrom,
};

/// One source position; line 0 when the PTX carries no line information.
struct MtPosition {
  char file[256];
  int32_t line, column;
};

/// One thread at one source line; of races between operations (race_host, race_stream)
/// no thread, only the line. `inlined_from` is the call line of an inlined or
/// called function, innermost first, `inlined_count` of them used.
struct MtSite {
  MtPosition position;
  MtPosition inlined_from[4];
  int32_t inlined_count;
  uint32_t block[3], thread[3];
};

/// What a load's CU_JIT option of this number says, if not 0: comments of the PTX that
/// begin with "minitorch.index" are checks of indices (cpp/ptx/index_checks.cpp).
inline constexpr int kMtJitIndexChecks = 0x6d740001;

/// One index that a thread computed for a subscript, and what it has to be below.
struct MtIndex {
  uint32_t dimension;
  int64_t index, extent;
};

/// How many threads of a block wait, or run, at one line.
struct MtWhereabouts {
  uint32_t line, threads;
  int32_t running;  // 0: they wait
};

enum MtOperationKind : int32_t {
  MtOperation_None,
  MtOperation_Kernel,
  MtOperation_CopyToHost,
  MtOperation_CopyFromHost,
  MtOperation_CopyOnDevice,
  MtOperation_Fill,
};

enum MtStreamKind : int32_t {
  MtStream_Default,
  MtStream_Blocking,
  MtStream_NonBlocking,
};

/// One of two operations that use the same memory in no order.
struct MtOperation {
  int32_t kind;    // MtOperationKind
  int32_t access;  // MtAccess: what it does to that memory
  int32_t stream_kind;
  uint64_t stream;  // tells streams apart, as in MtLaunch; 0: the default stream
  uint64_t tag;     // MtLaunchOptions::tag of the thread that asked for it
};

/// A fault or finding with raw fields; the text is composed by whoever shows it
/// (findings/sentences.h).
struct MtFinding {
  int32_t kind;      // MtFindingKind
  int32_t severity;  // 0 note, 1 warning, 2 error
  int32_t stopped;   // 1 when the launch ended because of it
  uint64_t launch_tag;
  char kernel[256];
  MtSite site;
  int32_t has_other;  // second site: the other access of a race, another barrier
  MtSite other;
  int32_t space, access;  // MtSpace, MtAccess
  /// Of a race: what the thread at `other` did; 1 in `read_first` when this order of
  /// the threads let it read what nobody had written.
  int32_t other_access, read_first;
  int32_t remedy;    // MtRemedy: what to do in this case
  uint64_t address;  // in that space; generic address for global
  uint32_t size;     // bytes accessed, by one thread
  /// The allocation or variable the address belongs to or is nearest to.
  int32_t has_allocation;
  uint64_t allocation_base, allocation_size;
  int64_t allocation_offset;  // address - allocation_base; < 0 or >= size when outside
  int32_t parameter_index;    // kernel parameter that held the base pointer, or -1
  char allocation_label[64];  // set by mtLabelAllocation, or the variable's name
  uint64_t count;             // how many times this finding was seen (line, kind)
  /// The launch's arguments as they lay in memory, up to the first 1024 bytes: what the
  /// arrays' shapes were is in them. `parameter_bytes` 0: not of one launch.
  uint32_t parameter_bytes;
  uint8_t parameters[1024];
  char detail[256];  // what only the finder knows: the opcode, "assertion 'i < n'
                     // failed"
  /// Where the block's threads are, of what waits for ever; `whereabouts_count` used.
  uint32_t whereabouts_count;
  MtWhereabouts whereabouts[16];
  /// Of races between operations: the one at `site`, and the other; its kernel.
  MtOperation operations[2];
  char other_kernel[256];
  /// Of an access outside of its array that a check of indices found: the number that
  /// the translator gave the access, and its indices. `index_count` 0: no such finding.
  uint32_t index_access, index_count;
  MtIndex indices[8];
};

/// What a launch is to be checked for beyond what always is (bounds, alignment,
/// lifetime, barriers, deadlock, budget), and what is to be recorded of it.
enum MtCheck : uint32_t {
  MtCheck_UninitGlobal = 1u << 0,  // report loads of global bytes never written
  MtCheck_UninitShared = 1u << 1,  // the same of shared memory
  MtCheck_UninitLocal = 1u << 2,   // use of unwritten registers and local memory
  MtCheck_Race = 1u << 3,          // report races on shared and global memory
  MtCheck_All = 0xfu,
  MtCheck_Counters = 1u << 16,  // count; see MtLaunch::counters
  MtCheck_Trace = 1u << 17,     // record every warp instruction, see MtLaunch::trace
  MtCheck_Sectors = 1u << 18,   // count different sectors, see MtLaunch::sectors
};

/// Which warps a trace records: those of the first `block_count` of `blocks`, by their
/// numbers, or all blocks' if there are none; among them those of the bits of `warps`.
/// A block that a grid does not have is passed over.
struct MtTraceFilter {
  static constexpr uint32_t kMostBlocks = 16;
  static constexpr uint64_t kIsPlace = uint64_t{1} << 63;
  uint32_t block_count = 0;
  uint32_t warps = ~uint32_t{0};
  /// A number, or a place in the grid: kIsPlace | x << 32 | y << 16 | z.
  uint64_t blocks[kMostBlocks] = {};
};

/// What a thread's launches are checked for, how far they may go, and what is recorded
/// of them.
struct MtLaunchOptions {
  uint64_t tag = 0;     // comes back in MtFinding::launch_tag and MtLaunch::tag
  uint32_t checks = 0;  // MtCheck bits
  /// Records that the context is to keep of launches, the newest; 0: none is made.
  uint32_t recorded = 0;
  /// Kinds of findings, as bits 1 << MtFindingKind, that are only listed, as notes,
  /// while the kernel goes on as hardware would.
  uint64_t tolerated = 0;
  uint64_t budget = uint64_t{1} << 30;  // warp instructions of one block; 0: any
  /// Nanoseconds of processor time that a launch may use without a block ending or the
  /// grid's barrier completing; 0: any. With MINITORCH_DETERMINISTIC=1 steps stand for
  /// time.
  uint64_t time_limit = 0;
  /// Bytes that the trace of one launch may take; then it is cut.
  uint64_t trace_limit = uint64_t{256} << 20;
  MtTraceFilter trace_filter;
};

typedef void (*MtPrintCallback)(const char* text, size_t bytes, void* user);

/// Work a learner may want to know about: totals since the context was made.
struct MtStatistics {
  uint64_t launches, blocks, warp_instructions;
  uint64_t bytes_allocated, bytes_peak, bytes_total;
};

enum MtCounter : int32_t {
#define COUNTER(enumerator, name, metric, meaning) MtCounter_##enumerator,
#include "cuda_abi/counters.inc"
#undef COUNTER
  MtCounter_Count,
};

/// A source line; line 0 (and file "") when the PTX carries no line information.
struct MtLine {
  const char* file;
  int32_t line;
};

/// What a launch's instructions of one line did. Code that was inlined from several
/// places has a row for each: `callers` are the call lines, innermost first.
struct MtLineCounters {
  MtLine at;
  uint32_t caller_count;
  const MtLine* callers;
  const uint64_t* values;  // by MtCounter
};

enum MtTraceKind : int32_t {
  MtTrace_Other,  // arithmetic, moves, warp operations
  MtTrace_Memory,
  MtTrace_Branch,
  MtTrace_Barrier,
  MtTrace_Call,  // and return
  MtTrace_Exit,
};

struct MtTraceInstruction {
  const char* opcode;    // "ld.shared.f32"
  const char* function;  // for people
  MtLine at;
  uint32_t caller_count;
  const MtLine* callers;
  uint32_t ptx_line;  // in the PTX text, from 1
  int32_t kind;       // MtTraceKind
};

struct MtTraceRegister {
  const char* name;  // "%r17"
  const char* type;  // "f32"
  const char* function;
};

/// Every instruction of warps in the order of execution, as columns. Blocks run one
/// after the other, or by turns where they wait for each other; warps by turns.
struct MtTrace {
  int32_t truncated;  // 1: the limit was reached, what came after is missing
  uint64_t bytes;     // that the columns take
  /// One row a step.
  uint64_t step_count;
  const uint32_t* block;        // number: x + y * grid.x + z * grid.x * grid.y
  const uint32_t* warp;         // index in its block
  const uint32_t* instruction;  // index into `instructions`
  const uint32_t* mask;         // lanes that execute
  /// One row a touched element (a vector access has one for each), in order of steps.
  uint64_t access_count;
  const uint64_t* access_step;
  const uint32_t* access_mask;
  const uint8_t* access_kind;      // MtAccess
  const uint8_t* access_space;     // MtSpace: Global (const too), Shared or Local
  const uint8_t* access_size;      // bytes of the element
  const uint8_t* access_element;   // index in its vector
  const uint64_t* access_address;  // 32 a row: global address, or offset
  const uint64_t* access_value;    // 32 a row: what lies there after the step
  /// One row a written register, in order of steps.
  uint64_t result_count;
  const uint64_t* result_step;
  const uint32_t* result_register;  // index into `registers`
  const uint64_t* result_value;     // 32 a row, zero-extended; predicates 0 or 1
  uint32_t instruction_count, register_count;
  const MtTraceInstruction* instructions;
  const MtTraceRegister* registers;
};

/// Different 32-byte sectors of global memory that a launch's instructions touched:
/// read (loads, atomics), written (stores, atomics), and either. Constant memory is
/// none of it.
struct MtSectors {
  uint64_t read, written, either;
};

/// The record of one finished launch; see mtTakeLaunch. Times are nanoseconds of the
/// host's monotonic clock.
struct MtLaunch {
  uint64_t number;          // of this launch in its context, from 0
  uint64_t dropped_before;  // records lost just before this one
  uint64_t tag;
  const char* kernel;  // for people
  const char* symbol;  // as in the PTX
  uint32_t grid[3], block[3];
  uint32_t static_shared, dynamic_shared, local_bytes;  // local: of one thread
  uint32_t registers;                                   // of one thread, estimated
  uint64_t stream;  // tells streams apart; 0: the default stream
  int64_t queued_ns, start_ns, end_ns;
  uint32_t checks;                     // MtCheck bits in force
  int32_t cancelled;                   // 1: ended by mtCancel
  uint64_t blocks, warp_instructions;  // that ran
  /// Block number b ran on multiprocessor b % sm_count, which holds blocks_per_sm at
  /// once; blocks start in the order of their numbers.
  uint32_t sm_count, blocks_per_sm;
  uint32_t finding_count;
  const MtFinding* findings;
  const uint64_t* counters;  // by MtCounter; null unless MtCheck_Counters
  uint32_t line_count;
  const MtLineCounters* lines;  // by file, line, callers
  const MtTrace* trace;         // null unless MtCheck_Trace
  uint64_t correlation;         // what mtSetCorrelation had set where it was launched
  const MtSectors* sectors;     // null unless MtCheck_Sectors
};

/// When one launch, copy or fill ran, on the clock of MtLaunch. Work that was dropped
/// has no such record; one that failed has.
struct MtWorkTime {
  uint64_t correlation;  // what mtSetCorrelation had set on the thread that queued it
  int32_t kind;          // MtOperationKind
  uint64_t stream;       // as in MtLaunch
  int64_t queued_ns, start_ns, end_ns;
  uint64_t bytes;  // that it moved; of a kernel 0
};

}  // extern "C"
