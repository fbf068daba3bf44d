extern "C" __global__ void k(int* out) {
  __shared__ int turn;
  if (threadIdx.x == 0) turn = 1;
  __syncthreads();
  out[threadIdx.x] = turn;
  if (threadIdx.x == 0) turn = 2;
  __syncthreads();
  out[threadIdx.x] += turn;
}
