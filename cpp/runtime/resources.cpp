#include "runtime/resources.h"

#include <algorithm>

#include "base/text.h"
#include "nvrtc/assembler_log.h"
#include "nvrtc/cubin.h"
#include "runtime/card.h"

namespace minitorch::runtime {
namespace {

std::shared_ptr<const nvrtc::Result> machine_code(nvrtc::Request request,
                                                  const base::CardProfile& card) {
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

std::shared_ptr<const nvrtc::Result> machine_code(const RawKernel& kernel,
                                                  const base::CardProfile& card) {
  if (kernel.module()->request().source.text.empty())
    throw base::StateError(
        "resources", base::text("got '", kernel.name(),
                                "' as PTX; need CUDA C++, which NVRTC compiles to "
                                "machine code."));
  return machine_code(kernel.module()->request(), card);
}

base::CardProfile card_of_name(const Device& device, const std::string& gpu) {
  return gpu.empty() ? card_of(device) : card_named(gpu);
}

Resources read(const nvrtc::Result& result, const std::string& name,
               const std::string& entry, const base::CardProfile& card) {
  Resources found;
  found.kernel = name;
  found.card = card;
  const nvrtc::Cubin cubin = nvrtc::read_cubin(result.cubin);
  const nvrtc::CubinKernel* code = cubin.kernel(entry);
  if (!code)
    throw base::StateError("resources", base::text("got machine code without '", entry,
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
  const auto spills = nvrtc::parse_spills(result.assembler_log);
  if (const auto own = spills.find(entry); own != spills.end()) {
    found.spill_stores = own->second.stores;
    found.spill_loads = own->second.loads;
  }
  return found;
}

}  // namespace

Resources resources(const RawKernel& kernel, const std::string& gpu) {
  const auto card = card_of_name(kernel.module()->device(), gpu);
  return read(*machine_code(kernel, card), kernel.name(), kernel.entry(), card);
}

Resources resources(const KernelSpec& spec, const std::string& gpu) {
  const auto card = card_of_name(current_device(), gpu);
  return read(*machine_code(request_for(spec), card), spec.entry, spec.entry, card);
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
