#include "runtime/kernel.h"

#include "base/text.h"
#include "nvrtc/location.h"
#include "runtime/kernel_error.h"

namespace minitorch::runtime {
namespace {

// A driver runs what a compiler of its own or an older major version made.
void check_major(const cuda_client::Api& api) {
  const int compiler = nvrtc::version() / 1000;
  const int driver = api.driver_version() / 1000;
  if (compiler <= driver) return;
  throw base::StateError(
      "nvrtc", base::text("got NVRTC ", compiler, ".", nvrtc::version() % 1000,
                          " and a driver for CUDA ", driver, ".",
                          api.driver_version() % 1000 / 10, "; need NVRTC ", driver,
                          " or older. Install it: pip install \"minitorch-cuda[nvrtc",
                          driver, "]\", or update the driver."));
}

}  // namespace

std::shared_ptr<const nvrtc::Result> build_for(const Device& device,
                                               nvrtc::Request request) {
  const cuda_client::Api& api = device.api();
  if (!api.emulated()) check_major(api);
  request.architecture = api.compute_capability();
  request.cubin = !api.emulated();
  return nvrtc::compile(request);
}

std::shared_ptr<Kernel> make_kernel(Device& device,
                                    std::shared_ptr<cuda_client::Module> module,
                                    const std::string& entry, const std::string& name,
                                    const std::string& file,
                                    const std::vector<std::string>& present) {
  auto kernel = std::make_shared<Kernel>();
  if (!module->find(entry, &kernel->function)) {
    std::string names;
    for (const std::string& other : present)
      names += base::text(names.empty() ? "" : ", ", other);
    throw LaunchError(
        "cuda",
        base::text("got no kernel '", name, "' in ", file, "; it has ",
                   names.empty()
                       ? "no kernels. Declare one with extern \"C\" __global__"
                       : names,
                   "."),
        "entry_not_found");
  }
  kernel->device = &device;
  kernel->module = std::move(module);
  kernel->name = name;
  kernel->file = file;
  kernel->max_threads = static_cast<uint32_t>(
      kernel->function.attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  kernel->static_shared = static_cast<uint32_t>(
      kernel->function.attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  const int registers = kernel->function.attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  kernel->facts = std::make_shared<const KernelFacts>(
      KernelFacts{name,
                  file,
                  entry,
                  "",
                  "",
                  {},
                  kernel->static_shared,
                  static_cast<uint32_t>(registers)});
  kernel->local_bytes = static_cast<uint32_t>(
      kernel->function.attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  return kernel;
}

}  // namespace minitorch::runtime
