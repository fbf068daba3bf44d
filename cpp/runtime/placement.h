// Where and when the blocks of launches run, as their kernels note it themselves: the
// guard that goes into a kernel's text, and what came of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/dim3.h"
#include "cuda_client/buffer.h"
#include "runtime/kernel.h"
#include "runtime/launch.h"

namespace minitorch::runtime {

/// A block's place. Times are nanoseconds of %globaltimer; 0: never noted.
struct BlockPlace {
  uint32_t processor = 0;
  uint64_t begin = 0, end = 0;  // of its first thread
};

/// One launch. `blocks` has all blocks in their order; where it is empty, `why` says
/// what kept the guard out.
struct PlacedLaunch {
  std::shared_ptr<const KernelFacts> kernel;
  base::Dim3 grid, block;
  bool library = false;
  std::vector<BlockPlace> blocks;
  std::string why;
};

/// Puts a guard first into the body of every kernel of `request`'s file, in the line of
/// the brace, so that no line moves. False where there is no body.
bool add_guard(nvrtc::Request* request);

/// While one is open, the launches of its thread run kernels with a guard in them, as
/// far as that can be done; what they compute is the same. It takes memory of 24 bytes
/// a block until `close`.
class PlaceRecording {
 public:
  /// Throws StateError while this thread has one open, GraphCaptureError in a capture.
  static std::shared_ptr<PlaceRecording> open();

  /// Waits for the launches, and raises what they found; a second call does nothing.
  /// `quiet`: neither, and nothing is known of the launches.
  void close(bool quiet);
  bool closed() const;
  /// In the order in which they were launched; with blocks once it is closed.
  std::vector<PlacedLaunch> launches() const;

 private:
  // A kernel with a guard in it, or why there is none.
  struct Guarded {
    std::shared_ptr<const KernelFacts> of;
    std::shared_ptr<Kernel> kernel;
    CUdeviceptr rows = 0;  // the variable that says where its notes go
    CUstream stream = nullptr;
    std::string why;
  };

  explicit PlaceRecording(Device& device);
  // The kernel with a guard to launch in the place of `kernel`, or null.
  static std::shared_ptr<const Kernel> substitute(const Kernel& kernel,
                                                  const LaunchConfig& config);
  Guarded& guarded(const Kernel& kernel);
  std::string prepare(Guarded& guarded, const Kernel& kernel,
                      const LaunchConfig& config) const;
  std::shared_ptr<cuda_client::Buffer> place_rows(Guarded& guarded, uint64_t blocks);
  void read();
  void forget();

  Device& device_;
  const unsigned generation_;
  mutable std::mutex mutex_;  // of what follows
  bool closed_ = false;
  uint64_t blocks_ = 0;  // of all launches
  std::map<const KernelFacts*, Guarded> kernels_;
  std::vector<PlacedLaunch> launches_;
  std::vector<std::shared_ptr<cuda_client::Buffer>> rows_;  // of each of them, or null
};

/// The smallest step of the device's %globaltimer that a kernel saw, in nanoseconds; 0
/// where it stood still. Waits for the device.
uint64_t timer_step();

}  // namespace minitorch::runtime
