// The memory of call frames and joins of one host thread, used again and again.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "simt/warp/warp.h"

namespace minitorch::simt {

struct LaunchState;

/// Bytes, aligned to 64, that are not cleared.
class AlignedBytes {
 public:
  explicit AlignedBytes(size_t size);
  uint8_t* data() const { return bytes_.get(); }

 private:
  struct Release {
    void operator()(uint8_t* bytes) const;
  };
  std::unique_ptr<uint8_t, Release> bytes_;
};

class FramePool {
 public:
  explicit FramePool(const LaunchState& launch) : launch_(launch) {}

  /// A frame for `code` whose constant rows hold what they must for this warp and
  /// block.
  Frame* take(const FunctionCode& code, const Block& block, const Warp& warp);
  void give_back(Frame* frame);
  /// What all frames that there ever were take, local memory of calls included: a
  /// recursion of many threads must not take the host's memory.
  uint64_t bytes() const { return bytes_; }
  void count_bytes(uint64_t bytes) { bytes_ += bytes; }
  Join* allocate_join() { return &joins_.emplace_back(); }

 private:
  const LaunchState& launch_;
  std::vector<Frame*> free_;  // by function
  std::deque<Frame> frames_;
  std::deque<AlignedBytes> storage_;
  std::deque<Join> joins_;
  uint64_t bytes_ = 0;
};

}  // namespace minitorch::simt
