// Owns which functions a program holds. Must not know how one is lowered.
#include "emulator/lowering.h"

namespace minitorch::emulator {

std::unique_ptr<Program> lower_program(const LoadedModule& module, uint32_t function,
                                       const Engine& engine, uint32_t checks) {
  auto program = std::make_unique<Program>();
  const ptx::Module& source = *module.module;
  program->module = &source;
  program->entry = function;
  program->functions.resize(source.functions.size());
  program->access_base.resize(source.functions.size(), 0);
  const bool calls = source.functions[function].uses_calls;
  std::vector<const ptx::Function*> used;
  for (uint32_t i = 0; i < source.functions.size(); ++i) {
    const ptx::Function& candidate = source.functions[i];
    const bool callee = calls && !candidate.entry && !candidate.external;
    if (i != function && !callee) continue;
    program->functions[i].function = &candidate;
    program->functions[i].index = i;
    used.push_back(&candidate);
  }
  const bool reads_local =
      (checks & MtCheck_UninitLocal) != 0 && reads_local_memory(source, used);
  for (uint32_t i = 0; i < source.functions.size(); ++i) {
    FunctionCode& code = program->functions[i];
    if (code.function == nullptr) continue;
    code.counting.slots = program->count_slots;
    Lowering(module, engine, checks, reads_local, code).run();
    program->count_slots = code.counting.slots;
    program->access_base[i] = program->access_count;
    program->access_count += static_cast<uint32_t>(code.accesses.size());
  }
  return program;
}

}  // namespace minitorch::emulator
