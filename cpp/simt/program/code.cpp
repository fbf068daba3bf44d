#include "simt/program/code.h"

#include "simt/observing/list.h"
#include "simt/program/passes.h"

namespace minitorch::simt {

Code::Code(const LoadedModule& module, uint32_t function)
    : module_(module), function_(function) {}

const Program& Code::program(const Engine& engine, uint32_t checks) const {
  const uint32_t probes = checks & probing_bits();
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Program>& program = programs_[{&engine, probes}];
  if (!program) program = lower_program(module_, function_, engine, probes);
  return *program;
}

std::shared_ptr<const Code> make_code(const LoadedModule& module, uint32_t function) {
  return std::make_shared<const Code>(module, function);
}

}  // namespace minitorch::simt
