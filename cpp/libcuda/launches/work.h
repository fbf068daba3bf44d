// The kinds of work that a stream or a graph's node does, and their way into a stream.
#pragma once

#include <variant>

#include "libcuda/launches/kernel_work.h"
#include "libcuda/memory/copies.h"

namespace minitorch::libcuda {

/// A function of the client, which must not call the driver.
struct HostWork {
  CUhostFn function = nullptr;
  void* user = nullptr;
};

using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork>;

/// The work as a stream does it, now. `in_graph`: beside other nodes.
Operation operation_of(const CopyWork& copy, const std::shared_ptr<Stream>& stream,
                       bool in_graph = false);
Operation operation_of(const FillWork& fill, const std::shared_ptr<Stream>& stream,
                       bool in_graph = false);
Operation operation_of(const HostWork& host, const std::shared_ptr<Stream>& stream);

}  // namespace minitorch::libcuda
