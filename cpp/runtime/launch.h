// Owns launches: what one takes, whether the card can run it, and the one road that all
// of them take. Must not know how kernels compile, or Python.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/dim3.h"
#include "cuda_client/stream.h"
#include "runtime/kernel.h"
#include "runtime/launch_record.h"
#include "runtime/record_log.h"

namespace minitorch::runtime {

/// How a kernel is to be launched.
struct LaunchConfig {
  base::Dim3 grid, block;
  uint32_t dynamic_shared = 0;                            // bytes a block
  std::shared_ptr<cuda_client::Stream> stream = nullptr;  // null: the current one
};

/// Where, in a launch's arguments, the address of an array stands. Its parameter's name
/// is for the emulator's reports; "" where nobody knows it.
struct ArrayPlace {
  uint32_t offset = 0;
  const char* parameter = "";
};

/// The arguments of a launch: the bytes of all parameters in one buffer, where each of
/// them begins, and which are arrays; of these, where known and asked for, what they
/// are.
struct PackedArguments {
  std::span<const std::byte> bytes;
  std::span<const uint32_t> offsets;
  std::span<const ArrayPlace> arrays = {};
  std::span<const ArrayNote> notes = {};
};

/// Packs arguments one by one.
class Arguments {
 public:
  template <class T>
  Arguments& add(const T& value) {
    return add_bytes(&value, sizeof value);
  }
  Arguments& add_bytes(const void* data, size_t bytes);
  /// The argument added last is the address of an array. `parameter` is kept as it is.
  void mark_array(const char* parameter) {
    arrays_.push_back({offsets_.back(), parameter});
  }
  /// The argument added last is this array, for whoever records launches.
  void note_array(ArrayNote note) {
    note.parameter = static_cast<uint32_t>(offsets_.size()) - 1;
    notes_.push_back(std::move(note));
  }
  PackedArguments packed() const { return {bytes_, offsets_, arrays_, notes_}; }

 private:
  std::vector<std::byte> bytes_;
  std::vector<uint32_t> offsets_;
  std::vector<ArrayPlace> arrays_;
  std::vector<ArrayNote> notes_;
};

/// Launches, and records kernel, grid, block and time for `launch_table`. Kernels of
/// the user have the checks and limits that are set (findings.h); the library's are
/// checked for what always is, and may run for ever. `tag` says where the launch stands
/// (launch_record.h): whoever holds Python's lock takes it before it lets go of it.
/// Throws LaunchError("launch_config").
void launch(const Kernel& kernel, const LaunchConfig& config,
            const PackedArguments& arguments, uint64_t tag = launch_tag());

/// Blocks of `threads` threads that the whole card holds at once.
int64_t most_resident_blocks(const Kernel& kernel, uint32_t threads,
                             uint32_t dynamic_shared);

/// Lets launches of `kernel` take up to `bytes` of dynamic shared memory, beyond the
/// default of 48 KiB. Throws LaunchError("launch_config") when the card has less.
void allow_dynamic_shared(Kernel& kernel, uint32_t bytes);

}  // namespace minitorch::runtime
