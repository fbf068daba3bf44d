// Memory that can be seen at several addresses at once, with the initialised bits of
// its bytes: a file without a name.
#pragma once

#include <cstdint>

namespace minitorch::simt {

class SharedPages {
 public:
  /// All bytes 0 and never written. Raises: std::bad_alloc.
  explicit SharedPages(uint64_t bytes);
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  /// The first `size` bytes are seen at `address` from now on and their bits at `bits`,
  /// both page-aligned, in the place of what was there. False when the system refuses.
  bool show_at(uint64_t address, uint64_t bits, uint64_t size) const;

  const uint64_t bytes;

 private:
  int file_ = -1;  // the bytes, and behind them the bits
};

}  // namespace minitorch::simt
