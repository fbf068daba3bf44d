// The executable form of a module's functions: steps, the layout of their register
// files and what their constant rows hold. Made by program/, never changed after.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "ptx/program.h"
#include "simt/lanes/step.h"
#include "simt/memory/memory_form.h"
#include "simt/program/count_plan.h"
#include "simt/program/launch.h"
#include "simt/program/matrix_step.h"
#include "simt/program/replay_plan.h"

namespace minitorch::simt {

struct Engine;

/// A row of the register file that no instruction writes: filled beforehand, as often
/// as its value changes (see FunctionCode).
struct RowFill {
  enum class Kind : uint8_t {
    Value,          // `value` in every lane: immediates, addresses of variables
    Special,        // a special register
    Parameter,      // `size` bytes at `value` of the launch's parameter buffer
    DynamicShared,  // address at `value` of the dynamic shared memory
    Local,          // address of a local variable at `value` of the function's frame
  };
  Kind kind = Kind::Value;
  ptx::Special special = ptx::Special::None;
  uint8_t lane_bytes = 4;  // 0: a predicate
  uint32_t row = 0, size = 0;
  uint64_t value = 0;
};

/// A run of rows. Buffers of parameters and results: words of 32 lanes, 4 bytes each,
/// `size` counts the bytes of one lane.
struct Slot {
  uint32_t row = 0, size = 0;
};

/// Targets of a brx.idx, or callees of an indirect call.
struct JumpTable {
  std::vector<uint32_t> steps, instructions;
};

/// A check of indices: where the values of each dimension lie.
struct IndexCheck {
  struct Dimension {
    uint32_t number = 0, index = 0, extent = 0, address = 0;  // rows but for `number`
  };
  uint32_t access = 0;
  MtSpace space = MtSpace_None;  // None: that of the address
  MtAccess kind = MtAccess_None;
  std::vector<Dimension> dimensions;
};

struct FunctionCode {
  const ptx::Function* function = nullptr;
  uint32_t index = 0;
  std::vector<Step> steps;
  uint32_t frame_bytes = 0;          // of one warp's register file
  uint32_t pattern_count = 1;        // slots, the dummy included
  uint32_t local_bytes = 0;          // of one thread's frame, a multiple of 16
  uint32_t local_end = 0;            // end of the frame's last variable
  std::vector<RowFill> launch_rows;  // same for every warp of a launch
  std::vector<RowFill> warp_rows;    // by the warp's index in its block
  std::vector<RowFill> block_rows;   // by block
  std::vector<RowFill> frame_rows;   // by call (local variables)
  std::vector<Slot> steering_rows;   // registers that steer (steering.h)
  std::vector<Slot> undefined_rows;  // zeroed at the start of a block or call
  std::vector<Slot> poisoned_rows;   // their shadows: all ones at that time
  std::vector<Slot> division_rows;   // shadows that nothing but divisions by zero sets:
                                     // zeroed at the first of a block or call
  bool tracks_local = false;         // local memory has shadows, too
  Slot parameters, returns;          // buffers of a callee
  Slot arguments, call_results;      // of a caller
  std::vector<MemoryForm> accesses;  // by Step::e of memory steps
  std::vector<JumpTable> tables;
  std::vector<IndexCheck> index_checks;      // by Step::e of CheckIndex
  std::vector<MatrixStep> matrices;          // by fields of matrix steps
  CountPlan counting;                        // empty unless launches count
  std::shared_ptr<const ReplayPlan> replay;  // null: blocks run step by step
};

/// All functions of a module that a kernel may reach, for one engine.
struct Program {
  const ptx::Module* module = nullptr;
  uint32_t entry = 0;
  uint32_t access_count = 0;            // memory steps of all functions
  uint32_t count_slots = 0;             // slots of counts of all functions
  std::vector<uint32_t> access_base;    // first access number of each function
  std::vector<FunctionCode> functions;  // by Module::functions index; may be empty
};

class Code {
 public:
  Code(const LoadedModule& module, uint32_t function);
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  /// The steps for `engine` with the probes that `checks` asks for; made at their first
  /// use, shared by all threads.
  const Program& program(const Engine& engine, uint32_t checks) const;

 private:
  LoadedModule module_;
  uint32_t function_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<const Engine*, uint32_t>, std::unique_ptr<Program>>
      programs_;
};

}  // namespace minitorch::simt
