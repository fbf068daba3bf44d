// patients/keep_positive.cu fails 5.12, 5.12-few: deadlock
__global__ void keep_positive(float* out, int* state, const float* a, int n) {
  int start = blockIdx.x * blockDim.x;
  if (threadIdx.x > 0) return;
  int end = min(start + static_cast<int>(blockDim.x), n);
  int found = 0;
  for (int i = start; i < end; ++i) found += a[i] > 0;
  if (found == 0) return;  // wrong: the next block waits for the turn

  while (atomicAdd(&state[0], 0) != blockIdx.x) {
  }
  __threadfence();
  int place = state[1];
  state[1] = place + found;
  __threadfence();
  atomicExch(&state[0], blockIdx.x + 1);

  for (int i = start; i < end; ++i)
    if (a[i] > 0) out[place++] = a[i];
}
