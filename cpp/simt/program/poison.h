// The static half of the search for values that nobody gave: which registers of a
// function may hold one ("poison"), and where it may come from.
//
// A poisoned register has a shadow row beside its own: a bit is 1 where the bit of the
// value is not defined. Shadows are computed by steps of their own (definedness.cpp in
// program/passes/) and asked for where a value is used: in an address, a branch, a
// store, a call.
#pragma once

#include <vector>

#include "ptx/program.h"

namespace minitorch::simt {

/// Where poison may come from, as bits.
enum PoisonOrigin : uint8_t {
  kFromRegister = 1,  // never written
  kFromLocal = 2,     // a load of local memory that was never written
  kFromShuffle = 4,   // a shuffle from a lane that does not take part
  kFromDivision = 8,  // an integer division by zero
};

struct PoisonMap {
  /// Origins that may reach each register of the function; 0: always defined.
  std::vector<uint8_t> origins;
  bool tracks_local = false;  // the program keeps shadows of local memory
  /// Integer divisions, by instruction, whose results are followed (divisions.h).
  std::vector<bool> divisions;
  bool only_divisions = false;  // nothing else that is undefined is followed

  bool may_hold(const ptx::Operand& operand) const {
    return operand.kind == ptx::Operand::Kind::Register && origins[operand.index] != 0;
  }
  uint8_t of(const ptx::Operand& operand) const {
    return operand.kind == ptx::Operand::Kind::Register ? origins[operand.index] : 0;
  }
};

/// Whether functions of the program may read local memory before they write it.
/// `functions`: the entry and what it may call.
bool reads_local_memory(const ptx::Module& module,
                        const std::vector<const ptx::Function*>& functions);

/// `unwritten`: follows what nobody wrote, not only divisions by zero.
PoisonMap find_poison(const ptx::Function& function, bool unwritten, bool tracks_local);

/// The first instruction that computes with a register nobody wrote and whose result
/// may reach `used` (copies do not count); kNone: there is none but the use itself.
uint32_t first_reader(const ptx::Function& function,
                      const std::vector<ptx::Operand>& used);

/// The integer divisions whose results may reach `used`.
std::vector<uint32_t> divisions_before(const ptx::Function& function,
                                       const std::vector<ptx::Operand>& used);

/// Sources whose bits go to the result as they are; the others steer. 0: no such
/// instruction.
uint32_t moved_sources(const ptx::Instruction& instruction);

/// Whether what an opcode reads leaves the registers: a quotient by zero is used there.
bool gives_away(ptx::Op op);

/// Whether undefined bits reach those above them only, as in a sum of integers.
bool adds_up(const ptx::Opcode& opcode);

/// Instructions whose results are computed from their sources, lane by lane.
bool carries_poison(const ptx::Instruction& instruction);

}  // namespace minitorch::simt
