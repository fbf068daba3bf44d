#include "runtime/launch.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "base/launch_limits.h"
#include "base/text.h"
#include "runtime/capture.h"
#include "runtime/findings.h"
#include "runtime/inspection.h"
#include "runtime/kernel_error.h"
#include "runtime/launch_record.h"
#include "runtime/run_ahead.h"
#include "runtime/stream.h"
#include "runtime/work_note.h"

namespace minitorch::runtime {
namespace {

std::atomic<KernelSubstitute> kernel_substitute{nullptr};

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

void check_shape(const Kernel& kernel, const LaunchConfig& config) {
  const Device::Limits& limits = kernel.device->limits();
  check_threads(kernel, config.block, limits.block_threads);
  check_extent(kernel, "block", config.block, limits.block);
  check_extent(kernel, "grid", config.grid, limits.grid);
  check_shared(kernel, limits, config.dynamic_shared);
  if (kernel.local_bytes > kMostLocal)
    refuse(kernel, base::text("got ", kernel.local_bytes,
                              " bytes of local memory a thread; need at most ",
                              kMostLocal, ". Use smaller local arrays."));
  if (kernel.cooperative)
    check_cooperative(kernel, config.grid, config.block, config.dynamic_shared);
}

CUstream queue_of(const Device& device, const LaunchConfig& config) {
  if (config.stream) return config.stream->handle();
  return &device == &current_device() ? current_stream() : nullptr;
}

// Names the arrays by their parameters for the emulator's reports, and keeps their
// memory from being reused before this stream is done with it.
void announce_arrays(Device& device, CUstream stream,
                     const PackedArguments& arguments) {
  cuda_client::Api& api = device.api();
  for (const ArrayPlace& array : arguments.arrays) {
    CUdeviceptr pointer = 0;
    std::memcpy(&pointer, arguments.bytes.data() + array.offset, sizeof pointer);
    if (pointer == 0) continue;
    device.allocator()->used_on(pointer, stream, capture_pool());
    // A freed array is named too: the report of its use then says which it was.
    if (api.inspect_label_allocation && *array.parameter != '\0')
      api.inspect_label_allocation(pointer, array.parameter);
  }
}

CUresult start(const Kernel& kernel, const LaunchConfig& config, CUstream stream,
               const PackedArguments& arguments) {
  std::vector<void*> values;
  values.reserve(arguments.offsets.size());
  for (const uint32_t offset : arguments.offsets)
    values.push_back(const_cast<std::byte*>(arguments.bytes.data()) + offset);
  const cuda_client::Api& api = kernel.device->api();
  const CUfunction function = kernel.function.handle();
  const auto& [grid, block, dynamic_shared, _] = config;
  return kernel.cooperative
             ? api.launch_cooperative_kernel(function, grid.x, grid.y, grid.z, block.x,
                                             block.y, block.z, dynamic_shared, stream,
                                             values.data())
             : api.launch_kernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                                 block.z, dynamic_shared, stream, values.data(),
                                 nullptr);
}

}  // namespace

void set_kernel_substitute(KernelSubstitute substitute) {
  kernel_substitute = substitute;
}

void launch(const Kernel& kernel, const LaunchConfig& config,
            const PackedArguments& arguments, uint64_t tag) {
  Device& device = *kernel.device;
  cuda_client::Api& api = device.api();
  const CUstream stream = queue_of(device, config);
  api.make_current();
  announce_arrays(device, stream, arguments);
  check_shape(kernel, config);
  limit_run_ahead(device, stream);
  const KernelSubstitute substitute = kernel_substitute.load();
  const auto other = substitute ? substitute(kernel, config) : nullptr;
  api.make_current();  // the wait may have run anything
  const uint64_t number = next_work();
  if (device.emulated()) {
    const LaunchedFor whom{kernel.user, kernel.user || kernel.own_text};
    const MtLaunchOptions options = launch_options(device, whom, tag);
    api.check(api.inspect_set_launch_options(&options), "launch");
    api.inspect_set_correlation(number);
    const bool noted = options.recorded != 0 && !kernel.user;
    if (noted) note_inspected(number, kernel.facts, arguments.notes);
  }
  WorkNote note(device, stream, WorkKind::Kernel, number);
  note.launches(kernel, config, arguments, tag);
  LaunchRecord record(device, kernel.name, kernel.file, config.grid, config.block,
                      stream, launch_site(tag));
  const CUresult result = start(other ? *other : kernel, config, stream, arguments);
  // What the driver knows better than we do: a grid that takes the emulator minutes.
  if (result == CUDA_ERROR_INVALID_VALUE) refuse(kernel, api.explanation(result));
  refuse_capture_error(device, result);
  // An error here may be the fault of a launch before: then that is what to raise.
  if (result != CUDA_SUCCESS) raise_findings(device, result);
  note.queued();
  record.launched();
  if (base::blocking_launches() && !capturing()) synchronize_stream(device, stream);
}

int64_t most_resident_blocks(const Kernel& kernel, uint32_t threads,
                             uint32_t dynamic_shared) {
  const int processors =
      kernel.device->api().attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return int64_t{kernel.function.resident_blocks(threads, dynamic_shared)} * processors;
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
