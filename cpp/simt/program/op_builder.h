// How operations are made from PTX operands, with the conversions that registers wider
// than the operation need.
#pragma once

#include <initializer_list>
#include <vector>

#include "simt/program/warp_program.h"

namespace minitorch::simt {

inline ptx::Opcode opcode_of(ptx::Op op, ptx::Type type) {
  ptx::Opcode opcode;
  opcode.op = op;
  opcode.type = opcode.source_type = type;
  return opcode;
}

/// A base, and what the access adds to it.
struct AddressValue {
  Value base;
  int64_t offset;
};

/// Which row of a register is meant: its own, or that of its shadow.
enum class Side : bool { Own, Shadow };

/// Appends operations to `ops`; references that it gives hold until the next.
class OpBuilder {
 public:
  using Operand = ptx::Operand;

  OpBuilder(WarpProgram& program, uint32_t instruction, std::vector<WarpOp>& ops);

  WarpOp& control(Control control);
  WarpOp& definedness(PoisonStep shadow, const PoisonForm& form);
  WarpOp& collective(WarpOp::Kind kind, const ptx::Opcode& opcode);
  /// False, and marked as unsupported, where there is no such arithmetic.
  bool lane(const ptx::Opcode& opcode, std::vector<Value> results,
            std::vector<Value> sources);
  WarpOp& access(const MemoryForm& form, AddressValue address);
  void unsupported();

  /// `operand` read as `type`; may need a conversion before.
  Value source(const Operand& operand, ptx::Type type, Side side = Side::Own);
  /// Into which a result of `type` is written; `finish_result` after the operation.
  Value result(const Operand& operand, ptx::Type type, Side side = Side::Own);
  void finish_result(const Operand& operand, ptx::Type type, Side side = Side::Own);
  /// A value that lives in this instruction.
  Value temporary(uint32_t lane_bytes);
  /// Where an access is; the width of its base goes into `form`.
  AddressValue address(const ptx::Address& address, MemoryForm& form);
  /// Enters a form into the table of accesses; its number.
  uint32_t add_access(const MemoryForm& form);

  uint32_t instruction() const { return instruction_; }

  WarpProgram& program;
  Values& values;
  std::vector<WarpOp>& ops;

 private:
  WarpOp& add(WarpOp::Kind kind);
  Value of(uint32_t reg, Side side);
  Value read_clock(const Operand& operand, uint32_t lane_bytes);

  const uint32_t instruction_;
};

}  // namespace minitorch::simt
