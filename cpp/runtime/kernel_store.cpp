// Owns the kernels loaded for the library's ops, and the one place that launches. Must
// not know which ops exist.
#include "runtime/kernel_store.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "base/text.h"
#include "kernels/kernels.h"
#include "runtime/build.h"
#include "runtime/findings.h"
#include "runtime/inspection.h"
#include "runtime/kernel.h"
#include "runtime/launch_check.h"
#include "runtime/launch_record.h"
#include "runtime/run_ahead.h"

namespace minitorch::runtime {
namespace {

constexpr const char* kFolder = "/minitorch/kernels/";

// A kernel that is there, or that the holder of the lock is building.
struct Slot {
  std::mutex mutex;
  std::shared_ptr<Kernel> kernel;
};

struct Store {
  std::mutex mutex;  // never held while something compiles
  std::unordered_map<std::string, std::shared_ptr<Slot>> slots;
  unsigned generation = 0;
};

Store& store() {
  static Store* const made = new Store;
  return *made;
}

nvrtc::Request request_for(const KernelSpec& spec) {
  nvrtc::Request request;
  request.source = {kFolder + spec.file, std::string(kernels::source(spec.file))};
  request.options = spec.options;
  request.headers.push_back({"spec.cuh", spec.spec});
  for (const std::string_view name : kernels::names())
    if (name.ends_with(".cuh") && name != "spec.cuh")
      request.headers.push_back(
          {std::string(name), std::string(kernels::source(name))});
  return request;
}

std::shared_ptr<Kernel> build(Device& device, const KernelSpec& spec) {
  const std::shared_ptr<const nvrtc::Result> result =
      build_for(device, request_for(spec));
  auto module = std::make_shared<driver::Module>(device.shared_api(), result->image());
  return make_kernel(device, std::move(module), spec.entry, spec.entry, spec.file, {});
}

std::shared_ptr<Slot> slot_of(const Device& device, const KernelSpec& spec) {
  Store& s = store();
  std::string key = base::text(spec.file, '\n', spec.entry, '\n', spec.spec);
  for (const std::string& option : spec.options) key += base::text('\n', option);
  const std::lock_guard lock(s.mutex);
  // A slot of before a reset is left to whoever still builds in it.
  if (const unsigned now = device.generation(); s.generation != now) {
    s.slots.clear();
    s.generation = now;
  }
  std::shared_ptr<Slot>& slot = s.slots[key];
  if (!slot) slot = std::make_shared<Slot>();
  return slot;
}

bool blocking_launches() {
  static const bool on = [] {
    const char* word = std::getenv("CUDA_LAUNCH_BLOCKING");
    return word && *word && std::strcmp(word, "0") != 0;
  }();
  return on;
}

// What the emulator is told about the launch that follows on this thread.
void describe_launch(Device& device, const Kernel& kernel, uint64_t tag) {
  if (!device.emulated()) return;
  const LaunchWatch watch = watch_launch(device, kernel.user);
  driver::Api& api = device.api();
  api.check(api.inspect_set_launch_tag(tag | watch.tag), "launch");
  api.check(api.inspect_set_checks(watch.checks), "launch");
  api.check(api.inspect_set_recording(watch.recorded), "launch");
  api.check(api.inspect_set_tolerated(watch.tolerated), "launch");
  api.check(api.inspect_set_trace_limit(watch.trace_bytes), "launch");
  api.check(api.inspect_set_budget(kernel.user ? budget() : 0), "launch");
  api.check(api.inspect_set_time_limit(kernel.user ? time_limit() : 0), "launch");
}

CUresult start(const Kernel& kernel, base::Dim3 grid, base::Dim3 block,
               uint32_t dynamic_shared, CUstream stream, void** values) {
  const driver::Api& api = kernel.device->api();
  const CUfunction function = kernel.function.handle();
  return kernel.cooperative
             ? api.launch_cooperative_kernel(function, grid.x, grid.y, grid.z, block.x,
                                             block.y, block.z, dynamic_shared, stream,
                                             values)
             : api.launch_kernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                                 block.z, dynamic_shared, stream, values, nullptr);
}

}  // namespace

std::shared_ptr<Kernel> get_kernel(const KernelSpec& spec) {
  Device& device = current_device();
  const std::shared_ptr<Slot> slot = slot_of(device, spec);
  const std::lock_guard lock(slot->mutex);
  if (!slot->kernel) slot->kernel = build(device, spec);
  return slot->kernel;
}

void clear_kernels() {
  const std::lock_guard lock(store().mutex);
  store().slots.clear();
}

Arguments& Arguments::add_bytes(const void* data, size_t bytes) {
  values_.push_back(std::make_unique<std::byte[]>(bytes));
  std::memcpy(values_.back().get(), data, bytes);
  pointers_.push_back(values_.back().get());
  return *this;
}

std::span<void* const> Arguments::pointers() const { return pointers_; }

void launch(const Kernel& kernel, base::Dim3 grid, base::Dim3 block,
            const Arguments& arguments, uint32_t dynamic_shared) {
  launch_on(current_stream(), kernel, grid, block, arguments.pointers(),
            dynamic_shared);
}

void launch_on(CUstream stream, const Kernel& kernel, base::Dim3 grid, base::Dim3 block,
               std::span<void* const> arguments, uint32_t dynamic_shared,
               uint32_t owner) {
  Device& device = *kernel.device;
  driver::Api& api = device.api();
  check_launch_shape(kernel, grid, block, dynamic_shared);
  limit_run_ahead(device, stream);
  api.make_current();
  const uint64_t tag = launch_tag(owner);
  describe_launch(device, kernel, tag);
  LaunchRecord record(device, kernel.name, kernel.file, grid, block, stream,
                      launch_site(tag));
  const CUresult result = start(kernel, grid, block, dynamic_shared, stream,
                                const_cast<void**>(arguments.data()));
  // What the driver knows better than we do: a grid that takes the emulator minutes.
  if (result == CUDA_ERROR_INVALID_VALUE) {
    throw LaunchError(kernel.name, api.explanation(result), "launch_config");
  }
  // An error here may be the fault of a launch before: then that is what to raise.
  if (result != CUDA_SUCCESS) raise_findings(device, result);
  record.launched();
  if (blocking_launches()) synchronize_stream(device, stream);
}

void reset() {
  Device& device = current_device();
  clear_kernels();
  if (device.emulated()) {
    device.api().make_current();
    device.api().inspect_cancel();
    discard_findings(device);
  }
  device.reset();
  forget_launches_since_sync();
}

}  // namespace minitorch::runtime
