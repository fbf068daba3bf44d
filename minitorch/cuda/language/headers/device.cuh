// Small things that CUDA C++ has only as registers or macros.
#pragma once

__device__ inline int lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return static_cast<int>(lane);
}

// Python's assert: the message of a failure names the line above the call by #line.
#define python_assert(test, text) \
  ((test) ? (void)0 : __assertfail(text, __FILE__, __LINE__, __func__, 1))
