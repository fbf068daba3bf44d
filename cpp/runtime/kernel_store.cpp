#include "runtime/kernel_store.h"

#include <mutex>
#include <unordered_map>

#include "base/text.h"
#include "kernels/kernels.h"
#include "runtime/capture.h"
#include "runtime/findings.h"
#include "runtime/kernel_texts.h"
#include "runtime/launch_site.h"
#include "runtime/recorder.h"

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

/// What is compiled for `file` on this thread: the library's text, or the one that
/// stands in its place.
std::string text_of(const std::string& file) {
  const KernelText* const other = replacement_of(file).text;
  return other ? other->source : std::string(kernels::source(file));
}

std::shared_ptr<Kernel> build(Device& device, const KernelSpec& spec) {
  const LoadScope scope(spec.file);
  const nvrtc::Request request = request_for(spec);
  const std::shared_ptr<const nvrtc::Result> result = build_for(device, request);
  auto module =
      std::make_shared<cuda_client::Module>(device.shared_api(), result->image());
  auto kernel =
      make_kernel(device, std::move(module), spec.entry, spec.entry, spec.file, {});
  auto facts = std::make_shared<KernelFacts>(*kernel->facts);
  facts->spec = spec.spec;
  facts->source = text_of(spec.file);
  facts->options = spec.options;
  kernel->facts = std::move(facts);
  // Somebody's own text has the checks and the budget of a kernel of theirs.
  kernel->own_text = replacement_of(spec.file).text != nullptr;
  kernel->origin = [request] { return KernelOrigin{request}; };
  return kernel;
}

std::shared_ptr<Slot> slot_of(const Device& device, const KernelSpec& spec) {
  Store& s = store();
  std::string key = base::text(spec.file, '\n', spec.entry, '\n', spec.spec);
  for (const std::string& option : spec.options) key += base::text('\n', option);
  if (const KernelText* const other = replacement_of(spec.file).text) {
    key += base::text('\n', other->source);
  }
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

}  // namespace

nvrtc::Request request_for(const KernelSpec& spec) {
  nvrtc::Request request;
  request.source = {kFolder + spec.file, text_of(spec.file)};
  request.options = spec.options;
  request.headers.push_back({"spec.cuh", spec.spec});
  for (const std::string_view name : kernels::names())
    if (name.ends_with(".cuh") && name != "spec.cuh" && name != kPlacementHeader)
      request.headers.push_back(
          {std::string(name), std::string(kernels::source(name))});
  return request;
}

std::string ptx_of(const KernelSpec& spec) {
  nvrtc::Request request = request_for(spec);
  request.architecture = current_device().api().compute_capability();
  return nvrtc::compile(request)->ptx;
}

std::shared_ptr<Kernel> get_kernel(const KernelSpec& spec) {
  Device& device = current_device();
  const std::shared_ptr<Slot> slot = slot_of(device, spec);
  std::unique_lock lock(slot->mutex);
  if (!slot->kernel && capturing()) {
    lock.unlock();  // looking for the line may wait for Python's lock
    require_no_capture(base::text("the kernel '", spec.entry, "', not loaded yet,"),
                       kRunOnce);
  }
  if (!slot->kernel) slot->kernel = build(device, spec);
  return slot->kernel;
}

void clear_kernels() {
  const std::lock_guard lock(store().mutex);
  store().slots.clear();
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
