// Making an Api's context current for a scope and putting back what was before.
#pragma once

#include "cuda_client/api.h"

namespace minitorch::cuda_client {

class ContextGuard {
 public:
  explicit ContextGuard(const Api& api) : api_(api) {
    api.check(api.ctx_push_current(api.context()), "cuda");
  }
  ~ContextGuard() {
    CUcontext previous = nullptr;
    api_.ctx_pop_current(&previous);
  }
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

 private:
  const Api& api_;
};

}  // namespace minitorch::cuda_client
