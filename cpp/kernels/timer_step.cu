// step[0] = the smallest difference of two readings of %globaltimer that differ, in
// nanoseconds; 0 where it stood still. The hardware's timer goes in steps: of 32 ns on
// some cards, of a microsecond on others.
//
// Launch: grid (1, 1, 1), block (1, 1, 1).
//
// One thread reads until it has seen kSteps steps, or kReadings times. Shared memory:
// none.
//
// Parameters: step, one number.

constexpr int kSteps = 16;
constexpr int kReadings = 1 << 20;  // some 10 ms, far more than a step

__device__ inline unsigned long long timer() {
  unsigned long long nanoseconds = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
  return nanoseconds;
}

extern "C" __global__ void timer_step(unsigned long long* step) {
  unsigned long long smallest = 0, last = timer();
  int steps = 0;
#pragma unroll 1
  for (int i = 0; i < kReadings && steps < kSteps; ++i) {
    const unsigned long long now = timer();
    if (now == last) continue;
    const unsigned long long difference = now - last;
    if (smallest == 0 || difference < smallest) smallest = difference;
    last = now;
    ++steps;
  }
  step[0] = smallest;
}
