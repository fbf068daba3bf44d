// What a function uses, callees included: barriers, fences, atomics, calls.
#include <algorithm>

#include "ptx/analysis.h"

namespace minitorch::ptx {
namespace {

bool is_fence(const Opcode& opcode) {
  return facts(opcode.op).effect == Effect::Fence ||
         (opcode.order >= Order::Acquire && !is_mbarrier(opcode.op));
}

void mark_own_uses(Function& function) {
  for (const Instruction& instruction : function.instructions) {
    const Op op = instruction.opcode.op;
    const Effect effect = facts(op).effect;
    function.uses_barrier |= effect == Effect::Barrier;
    function.uses_fence |= is_fence(instruction.opcode);
    function.uses_atomics |= effect == Effect::Atomic;
    function.uses_calls |= effect == Effect::Call;
    function.uses_mbarrier |= is_mbarrier(op);
    function.uses_copies |= effect == Effect::CopyStart;
  }
}

}  // namespace

std::vector<std::vector<uint32_t>> reachable_functions(const Module& module) {
  const auto count = static_cast<uint32_t>(module.functions.size());
  std::vector<std::vector<uint32_t>> callees(count), reachable(count);
  for (uint32_t f = 0; f < count; ++f)
    for (const Instruction& instruction : module.functions[f].instructions) {
      if (facts(instruction.opcode.op).effect != Effect::Call) continue;
      if (instruction.target != kNone) callees[f].push_back(instruction.target);
      for (uint32_t target : instruction.targets) callees[f].push_back(target);
    }
  for (uint32_t f = 0; f < count; ++f) {
    std::vector<bool> seen(count);
    std::vector<uint32_t> work{f};
    seen[f] = true;
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      reachable[f].push_back(at);
      for (uint32_t callee : callees[at])
        if (!seen[callee]) {
          seen[callee] = true;
          work.push_back(callee);
        }
    }
    std::sort(reachable[f].begin(), reachable[f].end());
  }
  return reachable;
}

void mark_uses(Module& module) {
  for (Function& function : module.functions) mark_own_uses(function);
  // Reachability is transitive, so that flags already merged add nothing wrong.
  const auto reachable = reachable_functions(module);
  for (size_t f = 0; f < module.functions.size(); ++f)
    for (uint32_t callee : reachable[f]) {
      Function& function = module.functions[f];
      const Function& called = module.functions[callee];
      function.uses_barrier |= called.uses_barrier;
      function.uses_fence |= called.uses_fence;
      function.uses_atomics |= called.uses_atomics;
      function.uses_mbarrier |= called.uses_mbarrier;
      function.uses_copies |= called.uses_copies;
    }
}

}  // namespace minitorch::ptx
