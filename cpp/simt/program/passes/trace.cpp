// Where the probes that record a trace stand.
#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

using Kind = ptx::Operand::Kind;

WarpOp probe_at(Probe probe, uint32_t instruction) {
  WarpOp op;
  op.kind = WarpOp::Kind::Probe;
  op.probe = probe;
  op.instruction = instruction;
  return op;
}

/// Numbers of instructions and registers run through all functions of the module.
struct Firsts {
  uint32_t instruction = 0, reg = 0;
};

Firsts firsts_of(const WarpProgram& program) {
  Firsts firsts;
  for (uint32_t i = 0; i < program.code.index; ++i) {
    const ptx::Function& before = program.module.module->functions[i];
    firsts.instruction += static_cast<uint32_t>(before.instructions.size());
    firsts.reg += static_cast<uint32_t>(before.registers.size());
  }
  return firsts;
}

void record_accesses(const WarpProgram& program, std::vector<WarpOp>& ops) {
  for (size_t at = 0; at < ops.size(); ++at) {
    if (ops[at].kind != WarpOp::Kind::Access) continue;
    const MemoryForm& form = program.code.accesses[ops[at].access];
    if (!program.engine.probe(Probe::TraceAccess, form).full) continue;
    WarpOp probe = ops[at];
    probe.kind = WarpOp::Kind::Probe;
    probe.probe = Probe::TraceAccess;
    insert(ops, at++, std::move(probe));
  }
}

bool accesses_memory(const std::vector<WarpOp>& ops) {
  for (const WarpOp& op : ops) {
    if (op.access != ptx::kNone) return true;
  }
  return false;
}

void record_results(WarpProgram& program, uint32_t i, uint32_t first_register) {
  std::vector<WarpOp>& ops = program.groups[i].ops;
  size_t at = body_end(program, i);
  if (accesses_memory(ops)) insert(ops, at++, probe_at(Probe::TraceValues, i));
  for (const ptx::Operand& to : program.instruction(i).destinations) {
    if (to.kind != Kind::Register) continue;
    WarpOp& op = insert(ops, at++, probe_at(Probe::TraceResult, i));
    op.sources = {program.values.of(to.index)};
    op.bytes = program.values.lane_bytes(to.index);
    op.number = first_register + to.index;
  }
}

void record_step(WarpProgram& program, uint32_t i, uint32_t number) {
  const ptx::Instruction& instruction = program.instruction(i);
  std::vector<WarpOp>& ops = program.groups[i].ops;
  WarpOp& op = insert(ops, entry_of(ops, i), probe_at(Probe::TraceStep, i));
  if (is_guarded(instruction)) op.sources = {program.values.of(instruction.guard)};
  op.negated = instruction.guard_negated;
  op.number = number;
}

}  // namespace

void trace(WarpProgram& program) {
  if (!(program.checks & MtCheck_Trace)) return;
  const Firsts firsts = firsts_of(program);
  for (uint32_t i = 0; i < program.instruction_count(); ++i) {
    record_accesses(program, program.groups[i].ops);
    if (program.instruction(i).only_checks) continue;
    record_results(program, i, firsts.reg);
    record_step(program, i, firsts.instruction + i);
  }
}

}  // namespace minitorch::simt
