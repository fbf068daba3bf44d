#include "runtime/device.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace minitorch::runtime {
namespace {

constexpr const char* kDriver = "libcuda.so.1";
constexpr const char* kEmulator = "libminitorch_emulator.so";

// Devices are never destroyed: exit handlers and other threads may still use them.
struct Open {
  std::recursive_mutex mutex;
  Device* gpu = nullptr;
  Device* emulator = nullptr;
  Device* current = nullptr;
};

Open& open_devices() {
  static Open* const made = new Open;
  return *made;
}

Backend chosen_backend() {
  const char* word = std::getenv("MINITORCH_CUDA");
  return word && *word ? parse_backend(word) : Backend::Auto;
}

Device& open_into(Device** slot, const std::string& library) {
  if (!*slot) {
    *slot = new Device(cuda_client::Api::open(library));
    // Registered after the library's own exit handlers, so it runs before them.
    static const int registered = std::atexit(device_hooks().finish);
    (void)registered;
  }
  return **slot;
}

Device& open_auto(Open& open) {
  try {
    return open_into(&open.gpu, kDriver);
  } catch (const cuda_client::CudaError& refused) {
    Device& emulator = open_into(&open.emulator, emulator_library());
    std::fputs(emulator_notice(refused, emulator.api().device_name()).c_str(), stderr);
    return emulator;
  }
}

uint32_t attribute(const cuda_client::Api& api, CUdevice_attribute which) {
  return static_cast<uint32_t>(api.attribute(which));
}

Device::Limits read_limits(const cuda_client::Api& api) {
  Device::Limits limits;
  limits.block_threads = attribute(api, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits.block[0] = attribute(api, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  limits.block[1] = attribute(api, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  limits.block[2] = attribute(api, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  limits.grid[0] = attribute(api, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  limits.grid[1] = attribute(api, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  limits.grid[2] = attribute(api, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  limits.shared = attribute(api, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  limits.shared_optin =
      attribute(api, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return limits;
}

}  // namespace

DeviceHooks& device_hooks() {
  static DeviceHooks hooks;
  return hooks;
}

Backend parse_backend(const std::string& word) {
  if (word == "auto") return Backend::Auto;
  if (word == "gpu") return Backend::Gpu;
  if (word == "emulator") return Backend::Emulator;
  throw base::ValueError("cuda",
                         base::text("got backend '", word,
                                    "'; need auto, gpu or emulator. It comes "
                                    "from MINITORCH_CUDA or the backend argument."));
}

std::string emulator_notice(const cuda_client::CudaError& refused,
                            const std::string& device) {
  std::string reason;
  // Without a driver there is nothing to explain.
  if (refused.result != CUDA_ERROR_FILE_NOT_FOUND) {
    reason = refused.what();
    while (!reason.empty() && (reason.back() == '.' || reason.back() == ' '))
      reason.pop_back();
    reason = base::text(" (", reason, ")");
  }
  return base::text("minitorch: no usable NVIDIA GPU found", reason,
                    ": device cuda is an emulated ",
                    device.substr(0, device.find(" (emulated")), ".\n");
}

Device::Device(std::shared_ptr<cuda_client::Api> api)
    : api_(std::move(api)), limits_(read_limits(*api_)), allocator_(make_allocator()) {}

std::shared_ptr<cuda_client::Allocator> Device::make_allocator() {
  auto allocator = std::make_shared<cuda_client::Allocator>(api_);
  allocator->set_wait([this] { device_hooks().wait(*this); });
  return allocator;
}

std::shared_ptr<cuda_client::Allocator> Device::allocator() const {
  const std::lock_guard lock(mutex_);
  return allocator_;
}

void Device::reset() {
  const std::lock_guard lock(mutex_);
  api_->reset_context();
  streams_.clear();
  allocator_ = make_allocator();
}

void Device::add_stream(CUstream stream) {
  const std::lock_guard lock(mutex_);
  streams_.push_back(stream);
}

void Device::remove_stream(CUstream stream) {
  const std::lock_guard lock(mutex_);
  // Once: a borrowed stream may be here for several borrowers.
  const auto found = std::find(streams_.begin(), streams_.end(), stream);
  if (found != streams_.end()) streams_.erase(found);
}

std::vector<CUstream> Device::streams() const {
  const std::lock_guard lock(mutex_);
  return streams_;
}

Device& current_device() {
  Open& open = open_devices();
  const std::lock_guard lock(open.mutex);
  if (!open.current) {
    const Backend backend = chosen_backend();
    open.current = backend == Backend::Auto ? &open_auto(open) : &device(backend);
  }
  if (open.current->api().inherited()) open.current->api().make_current();  // throws
  return *open.current;
}

Device& device(Backend backend) {
  if (backend == Backend::Auto) return current_device();
  Open& open = open_devices();
  const std::lock_guard lock(open.mutex);
  return backend == Backend::Gpu ? open_into(&open.gpu, kDriver)
                                 : open_into(&open.emulator, emulator_library());
}

std::vector<Device*> opened_devices() {
  Open& open = open_devices();
  const std::lock_guard lock(open.mutex);
  std::vector<Device*> devices;
  for (Device* device : {open.gpu, open.emulator})
    if (device && !device->api().inherited()) devices.push_back(device);
  return devices;
}

cuda_client::Api& cuda_api() { return current_device().api(); }

bool cuda_available() {
  try {
    std::error_code error;
    if (chosen_backend() != Backend::Gpu &&
        std::filesystem::exists(emulator_library(), error))
      return true;
    current_device();
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

std::string emulator_library() {
  if (const char* path = std::getenv("MINITORCH_EMULATOR_LIBRARY"); path && *path)
    return path;
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&emulator_library), &info) && info.dli_fname) {
    const std::filesystem::path here = info.dli_fname;
    if (here.has_parent_path()) return (here.parent_path() / kEmulator).string();
  }
  return kEmulator;
}

}  // namespace minitorch::runtime
