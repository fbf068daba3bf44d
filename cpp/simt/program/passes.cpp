#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

constexpr Pass kPasses[] = {
    {"aliases", "a register that only ever holds a constant is that constant",
     &find_aliases},
    {"expand", "each instruction is operations on rows, all conversions among them",
     &expand},
    {"guards", "what has a guard runs only in the lanes where it holds", &apply_guards},
    {"joins", "lanes that a branch parted meet where its ways come together",
     &mark_joins},
    {"accesses", "observers of memory look at each access before it is made",
     &observe_accesses},
    {"trace", "each instruction, its accesses and its results are recorded", &trace},
    {"counters", "runs of instructions, branches and accesses are counted", &count},
    {"definedness", "values that nobody gave are known as such where they are used",
     &follow_definedness},
    {"address_patterns", "what is known of an address is forgotten where it is written",
     &forget_address_patterns},
    {"fuse", "two loads and the sum of their product, over and over, are one operation",
     &fuse_dots},
    {"replay", "blocks that follow from the first one know what is left to do",
     &plan_replay},
    {"steps", "values have rows, operations are steps, targets are distances",
     &emit_steps},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

namespace {

/// The entry and what it may call; marks them in `program`.
std::vector<const ptx::Function*> choose_functions(Program& program) {
  const ptx::Module& source = *program.module;
  const bool calls = source.functions[program.entry].uses_calls;
  std::vector<const ptx::Function*> used;
  for (uint32_t i = 0; i < source.functions.size(); ++i) {
    const ptx::Function& candidate = source.functions[i];
    const bool callee = calls && !candidate.entry && !candidate.external;
    if (i != program.entry && !callee) continue;
    program.functions[i].function = &candidate;
    program.functions[i].index = i;
    used.push_back(&candidate);
  }
  return used;
}

}  // namespace

std::unique_ptr<Program> lower_program(const LoadedModule& module, uint32_t function,
                                       const Engine& engine, uint32_t checks,
                                       const PassListener& after) {
  auto program = std::make_unique<Program>();
  program->module = module.module.get();
  program->entry = function;
  const size_t count = module.module->functions.size();
  program->functions.resize(count);
  program->access_base.resize(count, 0);
  const auto used = choose_functions(*program);
  const bool reads_local =
      (checks & MtCheck_UninitLocal) != 0 && reads_local_memory(*module.module, used);
  for (uint32_t i = 0; i < count; ++i) {
    FunctionCode& code = program->functions[i];
    if (code.function == nullptr) continue;
    code.counting.slots = program->count_slots;
    WarpProgram warp_program(module, engine, checks, reads_local, code);
    for (const Pass& pass : kPasses) {
      pass.run(warp_program);
      if (after) after(pass, warp_program);
    }
    program->count_slots = code.counting.slots;
    program->access_base[i] = program->access_count;
    program->access_count += static_cast<uint32_t>(code.accesses.size());
  }
  return program;
}

}  // namespace minitorch::simt
