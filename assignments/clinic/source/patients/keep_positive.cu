// Task 5.12, a patient of the clinic: one fault is planted in this kernel.
//
// The positive numbers of a come into out, in blocks as they are in a: first those of
// block 0, then those of block 1 (within a block in the order of its threads).
// state[0] is the number of the block whose turn it is, state[1] how many numbers are in
// out already; both begin as 0.
//
// Launch: blocks of any number of threads, a thread for each number.

__global__ void keep_positive(float* out, int* state, const float* a, int n) {
  int start = blockIdx.x * blockDim.x;
  if (threadIdx.x > 0) return;  // one thread of a block does the work
  int end = min(start + static_cast<int>(blockDim.x), n);
  int found = 0;
  for (int i = start; i < end; ++i) found += a[i] > 0;
  /// BEGIN SOLUTION
  /// BEGIN STARTER
  // if (found == 0) return;  // nothing to write
  /// END STARTER
  /// END SOLUTION

  while (atomicAdd(&state[0], 0) != blockIdx.x) {
  }
  __threadfence();  // what earlier blocks wrote is seen below
  int place = state[1];
  state[1] = place + found;
  __threadfence();  // and what is written above is seen by the next block
  atomicExch(&state[0], blockIdx.x + 1);

  for (int i = start; i < end; ++i)
    if (a[i] > 0) out[place++] = a[i];
}
