// What a launch takes: its grid, block and stream, and packed arguments.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/dim3.h"
#include "cuda_client/stream.h"
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

}  // namespace minitorch::runtime
