// What is known of an operation that uses memory: who it is, where it stands in the
// order, which bytes it used.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda_abi/inspect.h"
#include "libcuda/streams/stream_order.h"
#include "simt/memory/memory.h"
#include "simt/observers/footprint/footprint.h"

namespace minitorch::libcuda {
using namespace simt;  // the engine's contract

/// Which nodes of one launch of a graph come before which.
struct NodeOrder {
  std::vector<std::vector<bool>> before;  // [node][other]: other comes first

  bool ordered(size_t one, size_t other) const {
    return comes_first(one, other) || comes_first(other, one);
  }

 private:
  bool comes_first(size_t one, size_t other) const {
    return one < before[other].size() && before[other][one];
  }
};

/// Who is told of a race: the context of the operation that a finding speaks of.
class RaceReceiver {
 public:
  /// A race of two operations, the one of `record` told; of the same place the first
  /// in `order` is kept, and all are counted.
  virtual void add_race(const MtFinding& finding, std::pair<uint64_t, uint64_t> order,
                        std::optional<uint64_t> record) = 0;

 protected:
  ~RaceReceiver() = default;
};

class MemoryUse {
 public:
  /// Who a finding speaks of.
  struct User {
    bool host = false;  // the host gives or takes the bytes, or waits for the call
    MtOperation operation{};  // what, in which stream
    std::string name;         // a kernel's
    std::weak_ptr<RaceReceiver> context;
    uint64_t tag = 0, tolerated = 0;  // of the launch, or of the calling thread
    std::optional<uint64_t> record;   // number of the launch's record
    const Memory* memory = nullptr;
    bool fences = false;  // a kernel that may order itself with others
  };

  bool of_kernel() const { return user.operation.kind == MtOperation_Kernel; }

  explicit MemoryUse(User user) : user(std::move(user)) {}
  /// What has not come to its end, did not happen.
  ~MemoryUse();
  MemoryUse(const MemoryUse&) = delete;
  MemoryUse& operator=(const MemoryUse&) = delete;

  /// Whether the client's calls order the two.
  bool ordered_with(const MemoryUse& other) const;

  User user;
  Footprint footprint;  // what it will use, or, once it is done, has used
  std::shared_ptr<const NodeOrder> nodes;  // of a graph's launch; else null
  size_t node = 0;

  // Set by HostRaces.
  Moment moment;
  uint64_t sequence = 0;  // in the order of the calls; 0: not queued
  uint64_t covered_at = 0;
  bool blind = false, done = false;
  std::vector<std::pair<uint64_t, uint64_t>> forgotten;  // since it was queued
};

using MemoryUses = std::vector<std::shared_ptr<MemoryUse>>;

}  // namespace minitorch::libcuda
