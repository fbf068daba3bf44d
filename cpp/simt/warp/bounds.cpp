#include "simt/warp/bounds.h"

#include <algorithm>
#include <cstring>

#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

uint64_t base_address(const Launch& launch, const MemoryForm& form) {
  if (form.base == MemoryForm::Base::Variable) {
    return launch.module->variable_address[form.base_index];
  }
  const auto& bytes = launch.parameters;
  uint64_t value = 0;
  const bool there = form.base == MemoryForm::Base::Parameter &&
                     uint64_t{form.base_index} + sizeof value <= bytes.size();
  if (there) std::memcpy(&value, bytes.data() + form.base_index, sizeof value);
  return value;
}

}  // namespace

AllocationHit shared_bounds(const Context& context, const MemoryForm& form) {
  const AllocationHit all = {0, context.shared_bytes};
  if (form.base != MemoryForm::Base::Variable) return all;
  const ptx::Variable& variable = context.program->module->variables[form.base_index];
  if (variable.space != ptx::Space::Shared) return all;
  if (variable.external) return {context.launch->dynamic_start, context.shared_bytes};
  // A function that was reached by a pointer of another shape may have variables for
  // which this launch has no room.
  return {variable.offset,
          std::min<uint64_t>(variable.offset + variable.size, context.shared_bytes)};
}

const Allocation* find_allocation(const Context& context, uint64_t address,
                                  Allocation& room) {
  const Allocation* const found = context.table->find(address);
  const bool heap = found && found->kind == Allocation::Kind::Heap;
  if (found && found->live && !heap) return found;
  // What was freed before the launch may be a kernel's by now.
  if (context.memory->find_heap(address, room)) return &room;
  return heap ? nullptr : found;
}

const Allocation* meant_allocation(const LaunchState& launch,
                                   const AllocationTable& table,
                                   const MemoryForm& form) {
  const uint64_t base = base_address(*launch.launch, form);
  const Allocation* meant = base == 0 ? nullptr : table.find(base);
  return meant && meant->live ? meant : nullptr;
}

bool adjoin(const Context& context, const Allocation& a, const Allocation& b) {
  const Allocation* low = a.base < b.base ? &a : &b;
  const Allocation* const high = a.base < b.base ? &b : &a;
  while (low && low->end() < high->base) low = context.table->find(low->end());
  return low && low->end() == high->base;
}

}  // namespace minitorch::simt
