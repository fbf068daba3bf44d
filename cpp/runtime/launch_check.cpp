// Owns the limits of a launch and their messages. Must not know arguments.
#include "runtime/launch_check.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "runtime/kernel_error.h"

namespace minitorch::runtime {
namespace {

constexpr uint32_t kMostLocal = 512 * 1024;  // bytes a thread, on every architecture

std::string dim_text(base::Dim3 d) {
  return base::text("(", d.x, ", ", d.y, ", ", d.z, ")");
}

[[noreturn]] void refuse(const Kernel& kernel, const std::string& what) {
  throw LaunchError(kernel.name, what, "launch_config");
}

void check_extent(const Kernel& kernel, const char* word, base::Dim3 extent,
                  const uint32_t limit[3]) {
  const uint32_t sizes[3] = {extent.x, extent.y, extent.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (sizes[axis] == 0)
      refuse(kernel, base::text("got ", word, " ", dim_text(extent), "; ", word, ".",
                                "xyz"[axis],
                                " is 0, need at least 1. Skip the launch when "
                                "there is nothing to do."));
    if (sizes[axis] > limit[axis])
      refuse(kernel, base::text("got ", word, " ", dim_text(extent), "; ", word, ".",
                                "xyz"[axis], " is ", sizes[axis], ", need at most ",
                                limit[axis], ". Use x for the long direction."));
  }
}

void check_threads(const Kernel& kernel, base::Dim3 block, uint32_t card_limit) {
  if (block.count() > card_limit)
    refuse(kernel, base::text("got block ", dim_text(block), " of ", block.count(),
                              " threads; need at most ", card_limit,
                              ". Use smaller blocks and a larger grid."));
  if (kernel.max_threads > 0 && block.count() > kernel.max_threads)
    refuse(kernel,
           base::text("got block ", dim_text(block), " of ", block.count(),
                      " threads; this kernel can have at most ", kernel.max_threads,
                      " for the registers it needs or its __launch_bounds__."));
}

// Beyond the default of 48 KiB a kernel has to ask first, as on a real card.
void check_shared(const Kernel& kernel, const Device::Limits& limits,
                  uint32_t dynamic_shared) {
  const uint64_t shared = uint64_t{kernel.static_shared} + dynamic_shared;
  if (shared <= limits.shared) return;
  if (dynamic_shared > 0 && dynamic_shared <= kernel.dynamic_shared_allowed) return;
  const bool may_ask = dynamic_shared > 0 && shared <= limits.shared_optin;
  refuse(kernel, base::text("got ", shared, " bytes of shared memory a block (",
                            kernel.static_shared, " declared, ", dynamic_shared,
                            " at the launch); need at most ", limits.shared,
                            may_ask ? ". Ask for more first: "
                                      "kernel.max_dynamic_shared_size_bytes = "
                                    : ". Use smaller tiles",
                            may_ask ? std::to_string(dynamic_shared) : "", "."));
}

// Blocks that wait for each other have to be on the card together.
void check_cooperative(const Kernel& kernel, base::Dim3 grid, base::Dim3 block,
                       uint32_t dynamic_shared) {
  const auto threads = static_cast<uint32_t>(block.count());
  const auto most =
      static_cast<uint64_t>(most_resident_blocks(kernel, threads, dynamic_shared));
  if (grid.count() > most)
    refuse(kernel, base::text("got ", grid.count(), " blocks of ", threads,
                              " threads in a cooperative launch; need at most ", most,
                              ", which ", kernel.device->api().device_name(),
                              " holds at once. Let each thread do several elements."));
}

}  // namespace

int64_t most_resident_blocks(const Kernel& kernel, uint32_t threads,
                             uint32_t dynamic_shared) {
  const int processors =
      kernel.device->api().attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return int64_t{kernel.function.resident_blocks(threads, dynamic_shared)} * processors;
}

void check_launch_shape(const Kernel& kernel, base::Dim3 grid, base::Dim3 block,
                        uint32_t dynamic_shared) {
  const Device::Limits& limits = kernel.device->limits();
  check_threads(kernel, block, limits.block_threads);
  check_extent(kernel, "block", block, limits.block);
  check_extent(kernel, "grid", grid, limits.grid);
  check_shared(kernel, limits, dynamic_shared);
  if (kernel.local_bytes > kMostLocal)
    refuse(kernel, base::text("got ", kernel.local_bytes,
                              " bytes of local memory a thread; need at most ",
                              kMostLocal, ". Use smaller local arrays."));
  if (kernel.cooperative) check_cooperative(kernel, grid, block, dynamic_shared);
}

void allow_dynamic_shared(Kernel& kernel, uint32_t bytes) {
  const Device::Limits& limits = kernel.device->limits();
  const uint64_t shared = uint64_t{kernel.static_shared} + bytes;
  const uint32_t most = std::max(limits.shared, limits.shared_optin);
  if (shared > most)
    refuse(kernel, base::text("got ", shared, " bytes of shared memory a block (",
                              kernel.static_shared, " declared, ", bytes,
                              " dynamic); this card has at most ", most, "."));
  kernel.function.set_dynamic_shared(bytes);
  kernel.dynamic_shared_allowed = bytes;
}

}  // namespace minitorch::runtime
