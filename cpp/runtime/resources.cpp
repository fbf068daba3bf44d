// Owns the way from a kernel's source to the needs of its machine code. Must not know
// Python.
#include "runtime/resources.h"

#include <algorithm>

#include "base/text.h"
#include "nvrtc/assembler_log.h"
#include "nvrtc/cubin.h"
#include "runtime/card.h"

namespace minitorch::runtime {
namespace {

std::shared_ptr<const nvrtc::Result> machine_code(const RawKernel& kernel,
                                                  const base::CardProfile& card) {
  if (kernel.module()->code().empty())
    throw base::StateError(
        "resources", base::text("got '", kernel.name(),
                                "' as PTX; need CUDA C++, which NVRTC compiles to "
                                "machine code."));
  nvrtc::Request request = kernel.module()->request();
  request.architecture = card.compute_major * 10 + card.compute_minor;
  request.cubin = true;
  request.options.push_back("--ptxas-options=-v");
  std::shared_ptr<const nvrtc::Result> result = nvrtc::compile(request);
  if (result->cubin.empty())
    throw base::StateError(
        "resources", base::text("got an NVRTC that makes no machine code for compute ",
                                card.compute_major, ".", card.compute_minor,
                                "; need a newer or older one: pip install "
                                "\"minitorch-cuda[nvrtc13]\"."));
  return result;
}

}  // namespace

Resources resources(const RawKernel& kernel, const std::string& gpu) {
  Resources found;
  found.kernel = kernel.name();
  found.card = gpu.empty() ? card_of(kernel.module()->device()) : card_named(gpu);
  const auto result = machine_code(kernel, found.card);
  const nvrtc::Cubin cubin = nvrtc::read_cubin(result->cubin);
  const nvrtc::CubinKernel* code = cubin.kernel(kernel.entry());
  if (!code)
    throw base::StateError("resources",
                           base::text("got machine code without '", kernel.entry(),
                                      "'; need it for every card."));
  found.registers = code->registers;
  found.shared_bytes = code->shared_bytes;
  found.local_bytes = code->local_bytes;
  found.recursive = code->recursive;
  found.constant_bytes = cubin.constant_bytes;
  found.parameter_bytes = code->parameter_bytes;
  found.barriers = code->barriers;
  found.code_bytes = code->code_bytes;
  if (code->max_threads > 0) found.max_threads = std::min(code->max_threads, 1024);
  const auto spills = nvrtc::parse_spills(result->assembler_log);
  if (const auto own = spills.find(kernel.entry()); own != spills.end()) {
    found.spill_stores = own->second.stores;
    found.spill_loads = own->second.loads;
  }
  return found;
}

std::string machine_code_of(const RawKernel& kernel, const std::string& gpu) {
  const auto card = gpu.empty() ? card_of(kernel.module()->device()) : card_named(gpu);
  const auto result = machine_code(kernel, card);
  return result->cubin;
}

base::Occupancy occupancy(const Resources& resources, int threads,
                          uint64_t dynamic_shared) {
  base::BlockNeeds needs;
  needs.threads = threads > resources.max_threads ? 0 : threads;
  needs.registers = resources.registers;
  needs.static_shared = resources.shared_bytes;
  needs.dynamic_shared = dynamic_shared;
  needs.dynamic_limit = std::max(dynamic_shared, needs.dynamic_limit);
  needs.max_threads = resources.max_threads;
  needs.barriers = std::max(resources.barriers, 1);
  return base::occupancy(resources.card, needs);
}

}  // namespace minitorch::runtime
