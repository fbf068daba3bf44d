// The guard that runtime/placement.cpp puts first into a kernel's body: the first
// thread of each block notes on which multiprocessor it runs, when it began, and when
// it left the body, by whichever way. It stands in every name space, so its names are
// long.
#pragma once

// Three numbers a block, in the order of the blocks: the multiprocessor's number and 1
// more, begin, end; or null: nothing is noted. The host sets it before each launch.
__device__ unsigned long long* minitorch_placement_rows;

class minitorch_placement_guard {
 public:
  __device__ minitorch_placement_guard() {
    if (threadIdx.x != 0 || threadIdx.y != 0 || threadIdx.z != 0) return;
    if (minitorch_placement_rows == nullptr) return;
    const unsigned long long block =
        blockIdx.x +
        static_cast<unsigned long long>(gridDim.x) *
            (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
    row_ = minitorch_placement_rows + 3 * block;
    unsigned int processor = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
    row_[0] = processor + 1ull;
    row_[1] = now();
  }
  __device__ ~minitorch_placement_guard() {
    if (row_ != nullptr) row_[2] = now();
  }

 private:
  static __device__ unsigned long long now() {
    unsigned long long nanoseconds = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
    return nanoseconds;
  }

  unsigned long long* row_ = nullptr;
};
