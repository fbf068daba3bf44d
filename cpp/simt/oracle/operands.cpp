// What operands mean in the scalar oracle: registers, special registers, addresses of
// variables, parameters.
#include <chrono>

#include "simt/oracle/machine.h"

namespace minitorch::simt::scalar {

using ptx::Operand;
using ptx::Space;
using ptx::Special;

namespace {

uint64_t nanoseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

uint64_t Machine::value(const Thread& thread, const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::Register:
      return thread.frame().registers[operand.index] ^ (operand.negated ? 1 : 0);
    case Operand::Kind::Immediate:
      return operand.bits ^ (operand.negated ? 1 : 0);
    case Operand::Kind::Special:
      return special(thread, operand.special);
    case Operand::Kind::Function:
      return kFunctionWindow + operand.index;
    case Operand::Kind::Variable:
      break;
    default:
      return 0;
  }
  const ptx::Variable& variable = module_.variables[operand.index];
  const uint64_t offset = static_cast<uint64_t>(operand.offset);
  if (variable.space == Space::Shared) {
    const uint64_t at = variable.external ? state_.dynamic_start : variable.offset;
    return kSharedBase + at + offset;
  }
  if (variable.space == Space::Local) {
    return kLocalBase + thread.frame().local_base + variable.offset + offset;
  }
  return launch_.module->variable_address[operand.index] + offset;
}

uint64_t Machine::special(const Thread& thread, Special which) const {
  const base::Dim3 grid = launch_.grid, block = launch_.block;
  const uint64_t bit = uint64_t{1} << thread.lane();
  const base::CardProfile* profile = launch_.profile;
  const uint64_t sms = profile ? static_cast<uint64_t>(profile->sm_count) : 1;
  switch (which) {
    case Special::TidX:
      return thread.index % block.x;
    case Special::TidY:
      return thread.index / block.x % block.y;
    case Special::TidZ:
      return thread.index / block.x / block.y;
    case Special::NtidX:
      return block.x;
    case Special::NtidY:
      return block.y;
    case Special::NtidZ:
      return block.z;
    case Special::CtaidX:
      return block_ % grid.x;
    case Special::CtaidY:
      return block_ / grid.x % grid.y;
    case Special::CtaidZ:
      return block_ / grid.x / grid.y;
    case Special::NctaidX:
      return grid.x;
    case Special::NctaidY:
      return grid.y;
    case Special::NctaidZ:
      return grid.z;
    case Special::LaneId:
      return thread.lane();
    case Special::WarpId:
      return thread.index / kLanes;
    case Special::NwarpId:
      return profile ? static_cast<uint64_t>(profile->max_warps_per_sm) : 32;
    case Special::SmId:
      return block_ % sms;
    case Special::NsmId:
      return sms;
    case Special::GridId:
      return launch_.tag;
    case Special::LaneMaskEq:
      return bit;
    case Special::LaneMaskLt:
      return bit - 1;
    case Special::LaneMaskLe:
      return 2 * bit - 1;
    case Special::LaneMaskGt:
      return 0xffffffff & ~(2 * bit - 1);
    case Special::LaneMaskGe:
      return 0xffffffff & ~(bit - 1);
    case Special::Clock:
      return thread.executed & 0xffffffff;
    case Special::Clock64:
      return thread.executed;
    case Special::ClockHi:
      return thread.executed >> 32;
    case Special::GlobalTimer:
      return nanoseconds() + skipped_;
    case Special::GlobalTimerLo:
      return (nanoseconds() + skipped_) & 0xffffffff;
    case Special::GlobalTimerHi:
      return (nanoseconds() + skipped_) >> 32;
    case Special::DynamicSmemSize:
      return launch_.dynamic_shared;
    case Special::TotalSmemSize:
      return state_.shared_bytes;
    case Special::EnvReg1:
      return launch_.grid_workspace >> 32;
    case Special::EnvReg2:
      return launch_.grid_workspace & 0xffffffff;
    default:
      return 0;
  }
}

uint64_t Machine::address(const Thread& thread, const ptx::Address& address,
                          Space space, uint64_t element) const {
  const uint64_t sum =
      value(thread, address.base) + static_cast<uint64_t>(address.offset) + element;
  // The sum has as many bits as the register; generic and global addresses have 64.
  const bool narrow_space =
      space == Space::Shared || space == Space::Local || space == Space::Param;
  const bool wraps =
      narrow_space && address.base.kind == Operand::Kind::Register &&
      width_of(thread.frame().function->registers[address.base.index].type) <= 32;
  return wraps ? sum & 0xffffffff : sum;
}

void Machine::write(Thread& thread, const Operand& operand, uint64_t bits) {
  if (operand.kind != Operand::Kind::Register) return;
  Frame& frame = thread.frame();
  frame.registers[operand.index] =
      bits & width_mask(frame.function->registers[operand.index].type);
  frame.undefined[operand.index] = {};
}

uint8_t* Machine::parameter(Thread& thread, const ptx::Instruction& instruction,
                            uint32_t size) {
  using Kind = ptx::Instruction::ParameterKind;
  Frame& frame = thread.frame();
  std::vector<uint8_t>* bytes = &frame.parameters;
  if (instruction.parameter_kind == Kind::OwnReturn) bytes = &frame.returns;
  if (instruction.parameter_kind == Kind::CallArgument) bytes = &frame.arguments;
  if (instruction.parameter_kind == Kind::CallReturn) bytes = &frame.results;
  const bool computed = instruction.parameter_kind == Kind::None;
  const uint64_t at = computed ? address(thread, instruction.address, Space::Param)
                               : instruction.parameter_offset +
                                     static_cast<uint64_t>(instruction.address.offset);
  if (at > bytes->size() || size > bytes->size() - at) {
    FindingRecord found = record(thread, MtFinding_OobConst);
    found.space = MtSpace_Param;
    found.access = MtAccess_Read;
    found.address = at;
    found.size = size;
    found.stopped = true;
    throw Fault{found};
  }
  return bytes->data() + at;
}

}  // namespace minitorch::simt::scalar
