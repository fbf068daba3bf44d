// Calls that the library makes for itself, and not for the program.
#pragma once

#include "cuda_client/api.h"

namespace minitorch::cuda_client {

/// While one lives, the thread's events and waits keep the library's books, and the
/// emulator does not take them for an order between streams: whether a program's race
/// is found must not depend on when memory is freed.
class Bookkeeping {
 public:
  explicit Bookkeeping(const Api& api) : api_(api) { exchange(); }
  ~Bookkeeping() { exchange(); }
  Bookkeeping(const Bookkeeping&) = delete;
  Bookkeeping& operator=(const Bookkeeping&) = delete;

 private:
  void exchange() {
    if (api_.inspect_exchange_bookkeeping) api_.inspect_exchange_bookkeeping(&other_);
  }

  const Api& api_;
  int32_t other_ = 1;  // what is set when this ends is what was set before
};

}  // namespace minitorch::cuda_client
