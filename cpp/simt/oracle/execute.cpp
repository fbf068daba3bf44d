// The execution of one instruction by one thread in the scalar oracle.
#include <cstring>

#include "base/text.h"
#include "simt/oracle/machine.h"
#include "simt/warp/refusals.h"

namespace minitorch::simt::scalar {

using ptx::Instruction;
using ptx::Op;
using ptx::Opcode;
using ptx::Space;

void Machine::step(Thread& thread) {
  const Instruction& instruction = thread.instruction();
  ++thread.executed;
  ++executed_;
  if (launch_.budget != 0 && executed_ / kLanes > launch_.budget) {
    fail(thread, MtFinding_Timeout, "the block ran longer than its budget allows");
  }
  Frame& frame = thread.frame();
  if (instruction.guard != ptx::kNone) {
    ptx::Operand guard;
    guard.kind = ptx::Operand::Kind::Register;
    guard.index = instruction.guard;
    use(thread, guard);
  }
  if (instruction.guard != ptx::kNone &&
      (frame.registers[instruction.guard] & 1) == instruction.guard_negated) {
    ++frame.pc;
    return;
  }
  use_operands(thread, instruction);
  execute(thread, instruction);
}

void Machine::execute(Thread& thread, const Instruction& instruction) {
  Frame& frame = thread.frame();
  switch (instruction.opcode.op) {
    case Op::Unsupported:
      fail(thread, MtFinding_Unsupported, refusal_of(instruction.opcode.text));
    case Op::Bra:
      frame.pc = instruction.target;
      return;
    case Op::BrxIdx: {
      const uint64_t index = value(thread, instruction.sources[0]) & 0xffffffff;
      if (index >= instruction.targets.size()) {
        fail(thread, MtFinding_WildPointer,
             base::text("a branch by index ", index, " into a table of ",
                        instruction.targets.size(), " targets"));
      }
      frame.pc = instruction.targets[index];
      return;
    }
    case Op::Call:
      return call(thread, instruction);
    case Op::Ret:
      return leave(thread);
    case Op::Exit:
      thread.state = Thread::State::Exited;
      return;
    case Op::Trap:
      fail(thread, MtFinding_Trap, "trap");
    case Op::IndexCheck:
      check_indices(thread, instruction);
      break;
    case Op::Barrier:
    case Op::BarrierRed:
    case Op::BarWarpSync:
    case Op::Shfl:
    case Op::Vote:
    case Op::Match:
    case Op::Redux:
    case Op::Elect:
    case Op::Activemask:
    case Op::Mma:
    case Op::WmmaMma:
    case Op::WmmaLoad:
    case Op::WmmaStore:
    case Op::Ldmatrix:
    case Op::Movmatrix:
      return wait(thread, instruction);
    case Op::BarrierArrive: {
      const uint64_t id = value(thread, instruction.sources[0]);
      if (id >= 16) fail(thread, MtFinding_BarrierDivergence, "barriers are 0 to 15");
      ++arrived_[id];
      break;
    }
    case Op::Ld:
    case Op::LdU:
      load(thread, instruction);
      break;
    case Op::St:
      store(thread, instruction);
      break;
    case Op::Atom:
    case Op::Red:
      atomic(thread, instruction);
      break;
    case Op::CpAsync:
      copy_async(thread, instruction);
      break;
    case Op::Cvta:
    case Op::Isspacep:
      convert_address(thread, instruction);
      break;
    case Op::CpAsyncCommit:
      commit_copies(thread);
      break;
    case Op::CpAsyncWait:
      wait_for_copies(thread, instruction);
      break;
    case Op::MbarrierInit:
      init_mbarrier(thread, instruction);
      break;
    case Op::MbarrierInval:
      invalidate_mbarrier(thread, instruction);
      break;
    case Op::MbarrierArrive:
    case Op::MbarrierArrivePart:
    case Op::MbarrierDrop:
    case Op::MbarrierDropPart:
      arrive_at_mbarrier(thread, instruction);
      break;
    case Op::MbarrierTest:
    case Op::MbarrierTestParity:
    case Op::MbarrierTry:
    case Op::MbarrierTryParity:
      ask_mbarrier(thread, instruction);
      break;
    case Op::MbarrierPending:
      read_pending_count(thread, instruction);
      break;
    case Op::CpAsyncArrive:
    case Op::CpAsyncArriveNoinc:
      arrive_with_copies(thread, instruction);
      break;
    case Op::Membar:
    case Op::Fence:
    case Op::Prefetch:
    case Op::Brkpt:
    case Op::Nanosleep:
    case Op::Nop:
      break;
#define PTX_OP(...)
#define PTX_LANE(name, ...) case Op::name:
#include "ptx/opcodes.inc"
#undef PTX_LANE
#undef PTX_OP
      arithmetic(thread, instruction);
      break;
  }
  ++frame.pc;
}

void Machine::check_indices(Thread& thread, const Instruction& instruction) {
  const auto& from = instruction.sources;
  for (size_t at = 0; at < from.size(); at += ptx::kIndexSources) {
    const uint64_t index = value(thread, from[at + ptx::kIndexValue]);
    const uint64_t extent = value(thread, from[at + ptx::kIndexExtent]);
    if (index < extent) continue;
    const uint64_t space = from[ptx::kIndexSpace].bits;
    fail(thread,
         space == MtSpace_Shared  ? MtFinding_OobShared
         : space == MtSpace_Local ? MtFinding_OobLocal
         : space == MtSpace_Const ? MtFinding_OobConst
                                  : MtFinding_OobGlobal,
         base::text("index ", index, " of ", extent));
  }
}

void Machine::arithmetic(Thread& thread, const Instruction& instruction) {
  Frame& frame = thread.frame();
  Operands operands;
  operands.carry = frame.carry;
  for (const ptx::Operand& source : instruction.sources) {
    if (operands.count < 5) operands.of[operands.count++] = value(thread, source);
  }
  const Results results = evaluate(instruction.opcode, operands);
  if (!results.supported) {
    fail(thread, MtFinding_Unsupported, refusal_of(instruction.opcode.text));
  }
  const auto undefined =
      undefined_results(thread, instruction, operands, results.divided_by_zero);
  if (instruction.opcode.carry_out) frame.carry = results.carry;
  for (size_t i = 0; i < instruction.destinations.size() && i < 4; ++i) {
    const ptx::Operand& to = instruction.destinations[i];
    write(thread, to, results.of[i]);
    if (to.kind == ptx::Operand::Kind::Register)
      frame.undefined[to.index] = undefined[i];
  }
}

void Machine::load(Thread& thread, const Instruction& instruction) {
  const Opcode& opcode = instruction.opcode;
  const uint32_t bytes = ptx::size_of(opcode.type);
  const uint32_t size = bytes * static_cast<uint32_t>(instruction.destinations.size());
  const uint8_t* from =
      opcode.space == Space::Param
          ? parameter(thread, instruction, size)
          : place(thread,
                  {opcode.space, address(thread, instruction.address, opcode.space),
                   size, MtAccess_Read});
  uint64_t values[4] = {};
  for (size_t i = 0; i < instruction.destinations.size(); ++i) {
    std::memcpy(&values[i], from + i * bytes, bytes);
    if (ptx::is_signed(opcode.type)) {
      values[i] = static_cast<uint64_t>(read_integer(opcode.type, values[i]));
    }
  }
  for (size_t i = 0; i < instruction.destinations.size(); ++i) {
    write(thread, instruction.destinations[i], values[i]);
  }
}

void Machine::store(Thread& thread, const Instruction& instruction) {
  const Opcode& opcode = instruction.opcode;
  const uint32_t bytes = ptx::size_of(opcode.type);
  const uint32_t size = bytes * static_cast<uint32_t>(instruction.sources.size());
  uint8_t* to = opcode.space == Space::Param
                    ? parameter(thread, instruction, size)
                    : place(thread, {opcode.space,
                                     address(thread, instruction.address, opcode.space),
                                     size, MtAccess_Write});
  for (size_t i = 0; i < instruction.sources.size(); ++i) {
    const uint64_t bits = value(thread, instruction.sources[i]);
    std::memcpy(to + i * bytes, &bits, bytes);
  }
}

namespace {

/// What an atomic leaves in memory; supported is false for forms that do not exist.
Results updated(const Opcode& opcode, uint64_t old, uint64_t operand, uint64_t swap) {
  using ptx::AtomicOp;
  Opcode step;
  step.type = step.source_type = opcode.type;
  switch (opcode.atomic) {
    case AtomicOp::Exch:
      return result(operand);
    case AtomicOp::Cas:
      return result(old == operand ? swap : old);
    case AtomicOp::Inc:
      return result(old >= operand ? 0 : old + 1);
    case AtomicOp::Dec:
      return result(old == 0 || old > operand ? operand : old - 1);
    case AtomicOp::Add:
      step.op = Op::Add;
      break;
    case AtomicOp::Min:
      step.op = Op::Min;
      break;
    case AtomicOp::Max:
      step.op = Op::Max;
      break;
    case AtomicOp::And:
      step.op = Op::And;
      break;
    case AtomicOp::Or:
      step.op = Op::Or;
      break;
    case AtomicOp::Xor:
      step.op = Op::Xor;
      break;
    default:
      return unsupported_form();
  }
  Operands operands;
  operands.of[0] = old;
  operands.of[1] = operand;
  operands.count = 2;
  return evaluate(step, operands);
}

}  // namespace

void Machine::atomic(Thread& thread, const Instruction& instruction) {
  const Opcode& opcode = instruction.opcode;
  const uint32_t bytes = ptx::size_of(opcode.type);
  const uint64_t operand = value(thread, instruction.sources[0]);
  const uint64_t swap =
      instruction.sources.size() > 1 ? value(thread, instruction.sources[1]) : 0;
  uint64_t old = 0;
  uint8_t* at =
      place(thread, {opcode.space, address(thread, instruction.address, opcode.space),
                     bytes, MtAccess_Atomic});
  std::memcpy(&old, at, bytes);
  const Results results = updated(opcode, old, operand, swap);
  if (!results.supported) fail(thread, MtFinding_Unsupported, opcode.text);
  std::memcpy(at, &results.of[0], bytes);
  if (!instruction.destinations.empty())
    write(thread, instruction.destinations[0], old);
}

void Machine::convert_address(Thread& thread, const Instruction& instruction) {
  const Opcode& opcode = instruction.opcode;
  const uint64_t from = value(thread, instruction.sources[0]);
  uint64_t window = 0;
  if (opcode.space == Space::Shared) window = kSharedWindow;
  if (opcode.space == Space::Local) window = kLocalWindow;
  if (opcode.space == Space::Param) window = kParamWindow;
  uint64_t to = opcode.to ? from - window : from + window;
  if (opcode.op == Op::Isspacep) to = from >> 56 == window >> 56;
  const Undefined known = undefined(thread, instruction.sources[0]);
  write(thread, instruction.destinations[0], to);
  if (opcode.op == Op::Cvta &&
      instruction.destinations[0].kind == ptx::Operand::Kind::Register)
    thread.frame().undefined[instruction.destinations[0].index] = known;
}

}  // namespace minitorch::simt::scalar
