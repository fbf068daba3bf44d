// Owns what a device asks of the compiler. Must not know where the source comes from.
#include "runtime/build.h"

#include "base/text.h"
#include "nvrtc/location.h"

namespace minitorch::runtime {
namespace {

// A driver runs what a compiler of its own or an older major version made.
void check_major(const driver::Api& api) {
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
  const driver::Api& api = device.api();
  if (!api.emulated()) check_major(api);
  request.architecture = api.compute_capability();
  request.cubin = !api.emulated();
  return nvrtc::compile(request);
}

}  // namespace minitorch::runtime
