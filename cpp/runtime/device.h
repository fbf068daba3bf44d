// Which devices are open: a driver with what belongs to it (memory, streams, fault
// reports).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_client/allocator.h"
#include "cuda_client/api.h"
#include "cuda_client/buffer.h"

namespace minitorch::runtime {

enum class Backend : uint8_t { Auto, Gpu, Emulator };

/// "auto", "gpu", "emulator"; throws ValueError for another word.
Backend parse_backend(const std::string& word);

/// An open device; lives until the process ends.
class Device {
 public:
  explicit Device(std::shared_ptr<cuda_client::Api> api);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  cuda_client::Api& api() const { return *api_; }
  const std::shared_ptr<cuda_client::Api>& shared_api() const { return api_; }
  /// That of the present context: a reset makes another.
  std::shared_ptr<cuda_client::Allocator> allocator() const;
  bool emulated() const { return api_->emulated(); }
  /// Counts resets: what was made in an earlier context is gone.
  unsigned generation() const { return api_->generation(); }
  void reset();

  /// What the card can launch.
  struct Limits {
    uint32_t block_threads = 0, block[3] = {}, grid[3] = {};
    uint32_t shared = 0, shared_optin = 0;
  };
  const Limits& limits() const { return limits_; }

  // Streams other than the default one, for waits on all of them.
  void add_stream(CUstream stream);
  void remove_stream(CUstream stream);
  std::vector<CUstream> streams() const;

 private:
  std::shared_ptr<cuda_client::Allocator> make_allocator();

  std::shared_ptr<cuda_client::Api> api_;
  Limits limits_;
  mutable std::mutex mutex_;  // what follows changes while other threads launch
  std::shared_ptr<cuda_client::Allocator> allocator_;
  std::vector<CUstream> streams_;
};

/// What modules above do for devices; each sets its own when it is loaded.
struct DeviceHooks {
  /// Waits for all work of a device that is out of memory.
  void (*wait)(Device&) = [](Device&) {};
  /// Fetches what is left at the end of the process.
  void (*finish)() = [] {};
};
DeviceHooks& device_hooks();

/// The device "cuda": MINITORCH_CUDA=auto|gpu|emulator, opened at first use (and said
/// once on stderr when `auto` falls to the emulator). Throws CudaError when there is
/// none, StateError in a child forked after it was opened.
Device& current_device();

/// What `auto` says when it falls to the emulator called `device`; with the reason
/// where there is a driver, but it `refused` (too old, no device).
std::string emulator_notice(const cuda_client::CudaError& refused,
                            const std::string& device);

/// Another device beside it, opened at first use; `Auto` is `current_device()`.
Device& device(Backend backend);

/// Every device opened so far in this process.
std::vector<Device*> opened_devices();

/// The Api behind device "cuda".
cuda_client::Api& cuda_api();

/// Is there anything behind "cuda" (a GPU, or the emulator's library)? Never throws.
bool cuda_available();

/// Path of libminitorch_emulator.so: MINITORCH_EMULATOR_LIBRARY, else beside the
/// library that holds this code.
std::string emulator_library();

/// Destroys and rebuilds the current device's context: all arrays and modules are gone.
void reset();

}  // namespace minitorch::runtime
