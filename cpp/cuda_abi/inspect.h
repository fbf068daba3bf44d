// Owns the emulator's inspection interface: what it exports beside the cu* functions,
// as CUPTI stands beside a driver. Plain C structs, declarations only. A real libcuda
// has none of these symbols: `driver::Api` then leaves the entries null.
#pragma once

#include "cuda_abi/driver_types.h"

extern "C" {

enum MtFindingKind : int32_t {
#define FINDING_KIND(name, spelled, severity, result) MtFinding_##name,
#include "cuda_abi/finding_kinds.inc"
#undef FINDING_KIND
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

/// What a kernel did to memory; None where a finding is not about memory.
enum MtAccess : int32_t {
  MtAccess_None,
  MtAccess_Read,
  MtAccess_Write,
  MtAccess_Atomic,
};

/// One source position; line 0 when the PTX carries no line information.
struct MtPosition {
  char file[256];
  int32_t line, column;
};

/// One thread at one source line. `inlined_from` is the call line of an inlined or
/// called function, innermost first, `inlined_count` of them used.
struct MtSite {
  MtPosition position;
  MtPosition inlined_from[4];
  int32_t inlined_count;
  uint32_t block[3], thread[3];
};

/// A fault or finding with raw fields; the text is composed by whoever shows it.
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
  uint64_t address;       // in that space; generic address for global
  uint32_t size;          // bytes accessed, by one thread
  /// The allocation or variable the address belongs to or is nearest to.
  int32_t has_allocation;
  uint64_t allocation_base, allocation_size;
  int64_t allocation_offset;  // address - allocation_base; < 0 or >= size when outside
  int32_t parameter_index;    // kernel parameter that held the base pointer, or -1
  char allocation_label[64];  // set by mtLabelAllocation, or the variable's name
  uint64_t count;             // how many times this finding was seen (line, kind)
  char detail[256];           // plain words: "assertion 'i < n' failed", the opcode
};

/// What a launch is to be checked for beyond what always is (bounds, alignment,
/// lifetime, barriers, deadlock, budget), and what is to be recorded of it.
enum MtCheck : uint32_t {
  MtCheck_UninitGlobal = 1u << 0,  // report loads of global bytes never written
  MtCheck_UninitShared = 1u << 1,  // the same of shared memory
  MtCheck_UninitLocal = 1u << 2,   // use of unwritten registers and local memory
  MtCheck_Race = 1u << 3,          // report races on shared and global memory
  MtCheck_All = 0xfu,
  MtCheck_Counters = 1u << 16,  // count; see mtLaunchCounters
  MtCheck_Trace = 1u << 17,     // record every warp instruction
};

typedef void (*MtPrintCallback)(const char* text, size_t bytes, void* user);

/// Work a learner may want to know about: totals since the context was made.
struct MtStatistics {
  uint64_t launches, blocks, warp_instructions;
  uint64_t bytes_allocated, bytes_peak, bytes_total;
};

}  // extern "C"
