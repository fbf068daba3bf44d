// What is known of a fault or finding while blocks run, and its collection over blocks
// and host threads.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simt/warp/context.h"

namespace minitorch::simt {

/// One thread at one instruction, with the calls that led there.
struct Site {
  uint32_t function = ptx::kNone, instruction = ptx::kNone;
  uint64_t block = 0;
  uint32_t thread = 0;                                 // linear index in its block
  std::vector<std::pair<uint32_t, uint32_t>> callers;  // function, instruction

  bool known() const { return function != ptx::kNone; }
};

struct FindingRecord {
  MtFindingKind kind{};
  Site site, other;
  MtSpace space = MtSpace_None;
  MtAccess access = MtAccess_None;
  uint64_t address = 0;
  uint32_t size = 0;
  /// What the access was meant for, where that is known: a variable, or an address in
  /// an allocation; else what is nearest is named. Among parameters the function's
  /// parameter of that number.
  uint32_t variable = ptx::kNone;
  uint64_t meant = 0;
  bool stopped = false;
  bool note = false;  // harmless here, whatever the kind's severity
  std::string detail;
  MtRemedy remedy = MtRemedy_OfKind;
  /// Of a race: what the other thread did; whether this order of the threads let it
  /// read what nobody had written.
  MtAccess other_access = MtAccess_None;
  bool read_first = false;
  std::vector<MtWhereabouts> whereabouts;  // of the block's threads, by line
  /// Races are one finding per pair of source lines and variable, whatever the
  /// instructions: numbers of the lines, the smaller first.
  uint32_t lines[2] = {ptx::kNone, ptx::kNone};
  uint64_t raced = 0;  // where the variable begins
  /// Of a check of indices: the access's number and its indices (MtFinding).
  uint32_t index_access = 0;
  std::vector<MtIndex> indices;
};

Site site_at(const Context& context, const Step* step, uint32_t lane);
/// The site of a lane on a path that is not executing; the line is `instruction`'s.
Site site_of(const Block& block, const Warp& warp, const Frame& frame,
             uint32_t instruction, uint32_t lane);
FindingRecord record_at(const Context& context, const Step* step, MtFindingKind kind,
                        uint32_t lane);
/// The same of a memory step's access to `address`.
FindingRecord record_access(const Context& context, const Step* step,
                            MtFindingKind kind, uint32_t lane, MtSpace space,
                            uint64_t address);
/// What a memory step's row and offset give as a lane's address.
uint64_t lane_address(const Context& context, const Step* step, uint32_t lane);

/// The findings of one host thread. Those that do not stop a block are kept once per
/// kind and place, with the number of times in each block, so that the blocks that
/// count can be chosen at the end.
class Findings {
 public:
  void note(const Context& context, const FindingRecord& record, uint64_t times = 1);
  /// Keeps the fault that ended a block: of several that of the lowest block, thread
  /// and instruction.
  void stop(FindingRecord record);
  const FindingRecord* fault() const { return has_fault_ ? &fault_ : nullptr; }

  struct Key {
    uint32_t function, instruction;
    int32_t kind;
    uint32_t other_function, other_instruction;
    bool note;
    uint64_t raced;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    FindingRecord first;                     // of the lowest block
    std::map<uint64_t, uint64_t> per_block;  // block, times
  };
  const std::map<Key, Entry>& notes() const { return notes_; }

 private:
  std::map<Key, Entry> notes_;
  FindingRecord fault_;
  bool has_fault_ = false;
};

/// The notes of all host threads: the first of each, and how often it was made.
struct MergedNotes {
  std::map<Findings::Key, std::pair<FindingRecord, uint64_t>> all;
};

}  // namespace minitorch::simt
