#include "simt/program/values.h"

#include "ptx/special_registers.h"
#include "simt/lanes/arithmetic.h"
#include "simt/memory/memory.h"

namespace minitorch::simt {

Values::Values(const LoadedModule& module, const ptx::Function& function)
    : module_(module),
      function_(function),
      infos_(1),
      registers_(function.registers.size()),
      shadows_(function.registers.size()) {}

Value Values::add(Info info) {
  infos_.push_back(std::move(info));
  return {static_cast<uint32_t>(infos_.size() - 1)};
}

const ptx::Register& Values::declared(uint32_t reg) const {
  return function_.registers[reg];
}

uint32_t Values::lane_bytes(uint32_t reg) const {
  return row_bytes(declared(reg).type);
}

Value Values::of(uint32_t reg) {
  Value& value = registers_[reg];
  if (!value) {
    value = add({Role::Register, static_cast<uint8_t>(lane_bytes(reg)), reg, {}});
  }
  return value;
}

Value Values::shadow(uint32_t reg) {
  Value& value = shadows_[reg];
  if (!value) {
    value = add({Role::Shadow, static_cast<uint8_t>(lane_bytes(reg)), reg, {}});
  }
  return value;
}

Value Values::add_constant(const RowFill& fill) {
  const ConstantKey key = {fill.kind, fill.special, fill.lane_bytes, fill.size,
                           fill.value};
  const auto [at, fresh] = constants_.try_emplace(key);
  if (fresh) at->second = add({Role::Constant, fill.lane_bytes, 0, fill});
  return at->second;
}

RowFill Values::variable_fill(const ptx::Operand& operand) const {
  const ptx::Variable& variable = module_.module->variables[operand.index];
  const uint64_t offset = static_cast<uint64_t>(operand.offset);
  RowFill fill;
  switch (variable.space) {
    case ptx::Space::Shared:
      fill.value = kSharedBase + variable.offset + offset;
      if (variable.external) {
        fill.kind = RowFill::Kind::DynamicShared;
        fill.value = offset;
      }
      return fill;
    case ptx::Space::Local:
      fill.kind = RowFill::Kind::Local;
      fill.value = variable.offset + offset;
      return fill;
    default:
      fill.value = module_.variable_address[operand.index] + offset;
      return fill;
  }
}

Value Values::constant(const ptx::Operand& operand, uint32_t lane_bytes) {
  RowFill fill;
  switch (operand.kind) {
    case ptx::Operand::Kind::Special:
      fill.kind = RowFill::Kind::Special;
      fill.special = operand.special;
      break;
    case ptx::Operand::Kind::Variable:
      fill = variable_fill(operand);
      break;
    case ptx::Operand::Kind::Function:
      fill.value = kFunctionWindow + operand.index;
      break;
    default:
      fill.value = operand.bits;
  }
  fill.lane_bytes = static_cast<uint8_t>(lane_bytes);
  return add_constant(fill);
}

Value Values::number(uint64_t bits, uint32_t lane_bytes) {
  RowFill fill;
  fill.value = bits;
  fill.lane_bytes = static_cast<uint8_t>(lane_bytes);
  return add_constant(fill);
}

Value Values::parameter(uint32_t offset, uint32_t size, uint32_t lane_bytes) {
  RowFill fill;
  fill.kind = RowFill::Kind::Parameter;
  fill.value = offset;
  fill.size = size;
  fill.lane_bytes = static_cast<uint8_t>(lane_bytes);
  return add_constant(fill);
}

Value Values::scratch(Role role, uint32_t number, uint32_t lane_bytes) {
  const auto [at, fresh] = scratch_.try_emplace({role, number, lane_bytes});
  if (fresh) at->second = add({role, static_cast<uint8_t>(lane_bytes), number, {}});
  return at->second;
}

namespace {

std::string constant_text(const RowFill& fill) {
  const std::string value = std::to_string(fill.value);
  switch (fill.kind) {
    case RowFill::Kind::Special:
      return ptx::special_name(fill.special);
    case RowFill::Kind::Parameter:
      return "param[" + value + "]";
    case RowFill::Kind::DynamicShared:
      return "dynamic_shared+" + value;
    case RowFill::Kind::Local:
      return "local+" + value;
    default:
      return value;
  }
}

}  // namespace

std::string Values::text(Value value) const {
  const Info& info = infos_[value.id];
  const std::string number = std::to_string(info.number);
  const std::string wide = info.lane_bytes == 8 ? "d" : info.lane_bytes == 0 ? "p" : "";
  switch (info.role) {
    case Role::Register:
      return declared(info.number).name;
    case Role::Shadow:
      return "shadow(" + declared(info.number).name + ")";
    case Role::Constant:
      return constant_text(info.fill);
    case Role::Temporary:
      return "t" + wide + number;
    case Role::Narrow:
      return "narrow(" + declared(info.number).name + ")";
    case Role::Carry:
      return "carry";
    case Role::CopyWord:
      return "word" + number;
    case Role::CopyAddress:
      return "copy_address";
    default:
      return "_";
  }
}

}  // namespace minitorch::simt
