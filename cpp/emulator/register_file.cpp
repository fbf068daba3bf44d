// Owns the layout of a function's register file. Must not know instructions.
#include "emulator/register_file.h"

#include "base/error.h"
#include "emulator/lanes/arithmetic.h"
#include "emulator/memory.h"

namespace minitorch::emulator {
namespace {

constexpr uint32_t kRowAlignment = 64;

bool changes_by_warp(ptx::Special special) {
  using ptx::Special;
  return (special >= Special::TidX && special <= Special::TidZ) ||
         special == Special::LaneId || special == Special::WarpId ||
         (special >= Special::LaneMaskEq && special <= Special::LaneMaskGt);
}

bool changes_by_block(ptx::Special special) {
  using ptx::Special;
  return (special >= Special::CtaidX && special <= Special::CtaidZ) ||
         special == Special::SmId;
}

}  // namespace

RegisterFile::RegisterFile(const LoadedModule& module, FunctionCode& code)
    : module_(module), code_(code), rows_(code.function->registers.size(), kNone) {
  // Row 0 means "no second destination" in some steps: never handed out.
  allocate(0);
}

uint32_t RegisterFile::allocate(uint32_t lane_bytes) {
  if (lane_bytes == 0) {
    if (predicates_left_ == 0) {
      next_predicate_ = next_;
      next_ += kRowAlignment;
      predicates_left_ = kRowAlignment / 4;
    }
    --predicates_left_;
    const uint32_t row = next_predicate_;
    next_predicate_ += 4;
    return row;
  }
  const uint32_t row = next_;
  next_ += lane_bytes * kLanes;
  return row;
}

const ptx::Register& RegisterFile::declared(uint32_t reg) const {
  return code_.function->registers[reg];
}

uint32_t RegisterFile::lane_bytes(uint32_t reg) const {
  return row_bytes(declared(reg).type);
}

uint32_t RegisterFile::row(uint32_t reg) {
  if (rows_[reg] == kNone) rows_[reg] = allocate(lane_bytes(reg));
  return rows_[reg];
}

uint32_t RegisterFile::shadow(uint32_t reg) {
  const auto [at, fresh] = shadows_.try_emplace(reg, 0);
  if (fresh) at->second = allocate(lane_bytes(reg));
  return at->second;
}

std::vector<RowFill>& RegisterFile::list_of(const RowFill& fill) {
  using Kind = RowFill::Kind;
  if (fill.kind == Kind::Local || fill.kind == Kind::LocalGeneric) {
    return code_.frame_rows;
  }
  if (fill.kind == Kind::Special && changes_by_warp(fill.special)) {
    return code_.warp_rows;
  }
  if (fill.kind == Kind::Special && changes_by_block(fill.special)) {
    return code_.block_rows;
  }
  return code_.launch_rows;
}

uint32_t RegisterFile::constant_row(RowFill fill) {
  const Key key = {fill.kind,        fill.special, fill.lane_bytes,
                   fill.sign_extend, fill.size,    fill.value};
  const auto [at, fresh] = constants_.try_emplace(key, 0);
  if (fresh) {
    fill.row = at->second = allocate(fill.lane_bytes);
    list_of(fill).push_back(fill);
  }
  return at->second;
}

RowFill RegisterFile::variable_fill(const ptx::Operand& operand) const {
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

uint32_t RegisterFile::constant(const ptx::Operand& operand, uint32_t lane_bytes) {
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
  return constant_row(fill);
}

uint32_t RegisterFile::value(uint64_t bits, uint32_t lane_bytes) {
  RowFill fill;
  fill.value = bits;
  fill.lane_bytes = static_cast<uint8_t>(lane_bytes);
  return constant_row(fill);
}

uint32_t RegisterFile::parameter(uint32_t offset, uint32_t size, uint32_t lane_bytes,
                                 bool sign_extend) {
  RowFill fill;
  fill.kind = RowFill::Kind::Parameter;
  fill.value = offset;
  fill.size = size;
  fill.lane_bytes = static_cast<uint8_t>(lane_bytes);
  fill.sign_extend = sign_extend;
  return constant_row(fill);
}

uint32_t RegisterFile::scratch(uint32_t which, uint32_t lane_bytes) {
  const auto [at, fresh] = scratch_.try_emplace({which, lane_bytes}, 0);
  if (fresh) at->second = allocate(lane_bytes);
  return at->second;
}

Slot RegisterFile::buffer(uint32_t bytes) {
  const Slot slot = {next_, bytes};
  next_ += (bytes + 3) / 4 * 4 * kLanes;
  return slot;
}

uint16_t RegisterFile::pattern(uint32_t row) {
  const auto [at, fresh] = patterns_.try_emplace(row, 0);
  if (fresh) {
    if (code_.pattern_count > UINT16_MAX) {
      throw base::StateError("emulator",
                             "got a function with more than 65535 address "
                             "registers; need fewer.");
    }
    at->second = static_cast<uint16_t>(code_.pattern_count++);
  }
  return at->second;
}

uint16_t RegisterFile::known_pattern(uint32_t row) const {
  const auto at = patterns_.find(row);
  return at == patterns_.end() ? uint16_t{0} : at->second;
}

void RegisterFile::finish() {
  for (uint32_t reg : code_.function->maybe_undefined) {
    if (!has_row(reg)) continue;
    const uint32_t size = lane_bytes(reg) ? lane_bytes(reg) * kLanes : 4;
    code_.undefined_rows.push_back({rows_[reg], size});
    const auto shadow = shadows_.find(reg);
    if (shadow != shadows_.end()) code_.poisoned_rows.push_back({shadow->second, size});
  }
  code_.frame_bytes = (next_ + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

}  // namespace minitorch::emulator
