// Kernels whose arguments come as one buffer, laid out by whoever wrote the kernel's
// source.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/raw_module.h"

namespace minitorch::runtime {

/// A parameter's place in the buffer. `pointers` are where, in the buffer, it holds the
/// addresses of arrays: the first word of a struct, or several in a tuple.
struct PackedParameter {
  std::string name;
  uint32_t offset = 0, size = 0;
  std::vector<uint32_t> pointers;
};

/// A kernel and the layout of its arguments.
class PackedKernel {
 public:
  /// Throws LaunchError("arg_mismatch") unless the PTX has the same parameters. `owner`
  /// is the number that findings of its launches carry: the caller puts it into the tag
  /// (launch_record.h).
  PackedKernel(std::shared_ptr<RawKernel> kernel,
               std::vector<PackedParameter> parameters, uint32_t owner);
  PackedKernel(const PackedKernel&) = delete;
  PackedKernel& operator=(const PackedKernel&) = delete;

  /// Launches; `arguments` are the bytes of all parameters. Throws LaunchError.
  void launch(const LaunchConfig& config, std::span<const std::byte> arguments,
              uint64_t tag);

  /// Launches on the emulator only to see whether a check fails (with `index_only` one
  /// of indices): nothing is recorded, told or printed, and the memory that the kernel
  /// wrote is the caller's to restore. Waits for all work of the device, and does
  /// nothing if some of it failed.
  bool finds_mistake(const LaunchConfig& config, std::span<const std::byte> arguments,
                     uint64_t tag, bool index_only);

  uint32_t owner() const { return owner_; }
  size_t bytes() const { return bytes_; }
  const std::shared_ptr<RawKernel>& kernel() const { return kernel_; }

 private:
  std::shared_ptr<RawKernel> kernel_;
  std::vector<PackedParameter> parameters_;
  std::vector<uint32_t> offsets_;
  std::vector<ArrayPlace> arrays_;  // with names in `parameters_`
  uint32_t owner_;
  size_t bytes_ = 0;
};

}  // namespace minitorch::runtime
