// The list of what turns a PTX instruction into operations, a file a family. They know
// neither guards nor observers: passes behind them do.
#pragma once

#include "simt/program/op_builder.h"

namespace minitorch::simt {

/// `shadowed`: which sources are read from shadows, to compute that of the result.
void expand_arithmetic(OpBuilder& builder, const ptx::Instruction& instruction,
                       uint32_t shadowed = 0);
void expand_address_conversion(OpBuilder& builder, const ptx::Instruction& instruction);
void expand_is_space(OpBuilder& builder, const ptx::Instruction& instruction);

/// What the addresses of a function's registers are derived from.
struct Provenance;
using Bases = std::vector<Provenance>;
void expand_load(OpBuilder& builder, const ptx::Instruction& instruction,
                 const Bases& bases);
void expand_store(OpBuilder& builder, const ptx::Instruction& instruction,
                  const Bases& bases);
void expand_atomic(OpBuilder& builder, const ptx::Instruction& instruction,
                   const Bases& bases);
MemoryForm form_of(const ptx::Instruction& instruction, const Bases& bases);
/// Holds accesses to what their address `base` is derived from, if that is known.
void hold_to_base(MemoryForm& form, const ptx::Operand& base, const Bases& bases);

void expand_copy(OpBuilder& builder, const ptx::Instruction& instruction,
                 const Bases& bases);
void expand_copy_wait(OpBuilder& builder, const ptx::Instruction& instruction);
void expand_mbarrier(OpBuilder& builder, const ptx::Instruction& instruction,
                     const Bases& bases);
void expand_pending_count(OpBuilder& builder, const ptx::Instruction& instruction);

void expand_product(OpBuilder& builder, const ptx::Instruction& instruction);
void expand_transposition(OpBuilder& builder, const ptx::Instruction& instruction);
void expand_matrix_load(OpBuilder& builder, const ptx::Instruction& instruction,
                        const Bases& bases);
void expand_fragment_access(OpBuilder& builder, const ptx::Instruction& instruction,
                            const Bases& bases);

void expand_branch(OpBuilder& builder, const ptx::Instruction& instruction);
void expand_jump_table(OpBuilder& builder, const ptx::Instruction& instruction);
void expand_call(OpBuilder& builder, const ptx::Instruction& instruction);
void expand_leave(OpBuilder& builder);
void expand_barrier(OpBuilder& builder, const ptx::Instruction& instruction);
void expand_collective(OpBuilder& builder, const ptx::Instruction& instruction);
void expand_index_check(OpBuilder& builder, const ptx::Instruction& instruction);

}  // namespace minitorch::simt
