// Owns the executable form of functions, made once per engine in use. Must not know how
// an instruction is lowered.
#include "emulator/code.h"

#include "base/error.h"

namespace minitorch::emulator {

Code::Code(const LoadedModule& module, uint32_t function)
    : module_(module), function_(function) {}

const Program& Code::program(const Engine& engine) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, program] : programs_) {
    if (known == &engine) return *program;
  }
  programs_.emplace_back(&engine, lower_program(module_, function_, engine));
  return *programs_.back().second;
}

std::shared_ptr<const Code> make_code(const LoadedModule& module, uint32_t function) {
  return std::make_shared<const Code>(module, function);
}

}  // namespace minitorch::emulator
