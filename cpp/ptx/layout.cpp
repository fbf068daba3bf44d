// Where shared variables lie in a block's memory and local ones in a thread's frame.
#include <algorithm>

#include "ptx/analysis.h"

namespace minitorch::ptx {
namespace {

uint64_t align(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

void lay_out_frame(Function& function, Module& module) {
  constexpr uint64_t kFrameAlignment = 16;
  uint64_t end = 0;
  for (uint32_t index : function.own_variables) {
    Variable& variable = module.variables[index];
    if (variable.space != Space::Local) continue;
    variable.offset = align(end, variable.alignment);
    end = variable.offset + variable.size;
  }
  // More is refused at the launch or the call; sums of what is kept fit 32 bits.
  constexpr uint64_t kMost = uint64_t{1} << 31;
  function.local_bytes =
      static_cast<uint32_t>(std::min(align(end, kFrameAlignment), kMost));
}

void use(const Operand& operand, std::vector<bool>& used) {
  if (operand.kind == Operand::Kind::Variable) used[operand.index] = true;
}

// Variables a function declares or names, its callees not included.
std::vector<bool> variables_of(const Function& function, const Module& module) {
  std::vector<bool> used(module.variables.size());
  for (uint32_t index : function.own_variables) used[index] = true;
  for (const Instruction& instruction : function.instructions) {
    for (const Operand& source : instruction.sources) use(source, used);
    use(instruction.address.base, used);
    use(instruction.source_address.base, used);
  }
  return used;
}

// For each variable the entries that may touch it.
std::vector<std::vector<uint32_t>> entries_of_variables(const Module& module) {
  std::vector<std::vector<bool>> used;
  for (const Function& function : module.functions)
    used.push_back(variables_of(function, module));
  std::vector<std::vector<uint32_t>> entries(module.variables.size());
  const auto reachable = reachable_functions(module);
  for (uint32_t f = 0; f < module.functions.size(); ++f) {
    if (!module.functions[f].entry) continue;
    for (uint32_t v = 0; v < module.variables.size(); ++v)
      if (std::any_of(reachable[f].begin(), reachable[f].end(),
                      [&](uint32_t callee) { return used[callee][v]; }))
        entries[v].push_back(f);
  }
  return entries;
}

}  // namespace

// One offset per variable for the whole module: variables of several entries come
// first, the others of different entries overlap. Dynamic shared memory follows all of
// them.
void lay_out_variables(Module& module) {
  for (Function& function : module.functions) lay_out_frame(function, module);

  const auto entries = entries_of_variables(module);
  std::vector<uint32_t> order;
  for (uint32_t v = 0; v < module.variables.size(); ++v)
    if (module.variables[v].space == Space::Shared && !entries[v].empty())
      order.push_back(v);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return entries[a].size() > entries[b].size();
  });
  std::vector<uint64_t> end(module.functions.size());
  for (uint32_t v : order) {
    Variable& variable = module.variables[v];
    for (uint32_t f : entries[v]) {
      uint32_t& alignment = module.functions[f].shared_alignment;
      alignment = std::max(alignment, variable.alignment);
    }
    if (variable.external) continue;
    uint64_t start = 0;
    for (uint32_t f : entries[v]) start = std::max(start, end[f]);
    variable.offset = align(start, variable.alignment);
    for (uint32_t f : entries[v]) end[f] = variable.offset + variable.size;
  }
  for (uint32_t f = 0; f < end.size(); ++f)
    module.functions[f].shared_bytes =
        static_cast<uint32_t>(std::min<uint64_t>(end[f], kNone));
}

}  // namespace minitorch::ptx
