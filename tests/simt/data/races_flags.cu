// Flags and locks between threads: right, and with a fence missing or too small. A
// comment at the end of a line names it for the tests.
// Block 0 hands a value to block 1.
template <bool kBefore, bool kAfter>
__device__ void hand_over(int* data, volatile int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = 7;  // flag: write
    if (kBefore) __threadfence();
    *ready = 1;
  } else {
    while (*ready == 0) {
    }
    if (kAfter) __threadfence();
    *out = *data;  // flag: read
  }
}
extern "C" __global__ void flag_right(int* data, int* ready, int* out) {
  hand_over<true, true>(data, ready, out);
}
extern "C" __global__ void flag_no_release(int* data, int* ready, int* out) {
  hand_over<false, true>(data, ready, out);
}
extern "C" __global__ void flag_no_acquire(int* data, int* ready, int* out) {
  hand_over<true, false>(data, ready, out);
}
extern "C" __global__ void flag_plain(int* data, int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = 7;
    __threadfence();
    *ready = 1;  // plain flag: write
  } else {
    int seen = *(volatile int*)ready;  // plain flag: read
    *out = seen;
  }
}

extern "C" __global__ void flag_block_fence(int* data, volatile int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = 7;
    __threadfence_block();
    *ready = 1;
  } else {
    while (*ready == 0) {
    }
    __threadfence_block();
    *out = *data;
  }
}

extern "C" __global__ void flag_instructions(int* data, int* ready, int* out, int weak) {
  if (blockIdx.x == 0) {
    *data = 7;  // instructions: write
    if (weak) {
      asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(ready) : "memory");
    } else {
      asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(ready) : "memory");
    }
  } else {
    int seen = 0;
    while (seen == 0) {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                   : "=r"(seen)
                   : "l"(ready)
                   : "memory");
    }
    *out = *data;  // instructions: read
  }
}

// A lock that all threads take in turn.
template <bool kAfterLock, bool kBeforeUnlock>
__device__ void locked_add(int* lock, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      if (kAfterLock) __threadfence();
      *sum = *sum + 1;  // lock: add
      if (kBeforeUnlock) __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
extern "C" __global__ void lock_right(int* lock, int* sum) {
  locked_add<true, true>(lock, sum);
}
extern "C" __global__ void lock_no_acquire(int* lock, int* sum) {
  locked_add<false, true>(lock, sum);
}
extern "C" __global__ void lock_no_release(int* lock, int* sum) {
  locked_add<true, false>(lock, sum);
}
