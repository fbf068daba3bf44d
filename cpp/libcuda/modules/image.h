// A loaded module: its program, its variables in memory, its functions.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "libcuda/contexts/device.h"
#include "libcuda/modules/jit_options.h"
#include "simt/program/launch.h"

namespace minitorch::libcuda {
using namespace simt;  // the engine's contract

/// A module placed in device memory; its variables go when the last launch lets go.
class Image {
 public:
  Image(Device& device, std::shared_ptr<const ptx::Module> module,
        uint32_t max_registers);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  const ptx::Module& program() const { return *loaded_.module; }
  const LoadedModule& loaded() const { return loaded_; }
  /// Made at the first use of each function.
  std::shared_ptr<const Code> code(uint32_t function);
  /// What the client allows each thread; 0: no limit.
  uint32_t max_registers() const { return max_registers_; }

 private:
  void place(uint32_t index);
  void write_initial(uint32_t index);

  Device& device_;
  const uint32_t max_registers_;
  LoadedModule loaded_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Code>> code_;  // by function
};

/// What clients of CUDA 3 set one by one before cuLaunch, which launches with all of
/// it.
struct LaunchDraft {
  std::mutex mutex;
  base::Dim3 block{0, 0, 0};  // not set yet
  uint32_t dynamic_shared = 0;
  std::vector<uint8_t> parameters;  // as long as the most that was set
  size_t parameter_bytes = 0;       // as cuParamSetSize says
};

/// An entry point of an image as clients hold it.
struct Function {
  /// Static and dynamic shared memory together may take `ordinary_shared` bytes until
  /// the client asks for more.
  Function(std::shared_ptr<Image> image, uint32_t index, CUmodule module,
           uint32_t ordinary_shared)
      : image(std::move(image)), index(index), module(module) {
    const uint32_t fixed = program().shared_bytes;
    dynamic_shared_limit = fixed < ordinary_shared ? ordinary_shared - fixed : 0;
  }

  const ptx::Function& program() const { return image->program().functions[index]; }
  /// See `estimate_registers`; worked out when first asked for.
  int estimated_registers() const;

  const std::shared_ptr<Image> image;
  const uint32_t index;
  const CUmodule module;
  std::atomic<uint32_t> dynamic_shared_limit{0};
  std::atomic<int> carveout{-1};
  LaunchDraft draft;

 private:
  mutable std::atomic<int> estimated_registers_{0};  // 0: not yet known
};

/// Loads PTX text. Throws Failure with what the JIT's error log should say.
std::shared_ptr<Image> load_image(Device& device, const std::string& ptx,
                                  const JitOptions& jit);

/// Estimate of the registers a thread of `function` needs: the most 32-bit values alive
/// at once, at least 16, at most 255. PTX registers are virtual; only ptxas knows
/// better.
int estimate_registers(const ptx::Function& function);

}  // namespace minitorch::libcuda
