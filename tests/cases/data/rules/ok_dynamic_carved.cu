extern __shared__ int pool[];
extern "C" __global__ void k(const int* in, int* out) {
  int* a = pool; float* b = (float*)(pool + 32);
  int t = threadIdx.x;
  a[t] = in[t]; b[t] = in[t] * 0.5f;
  __syncthreads();
  out[t] = a[31 - t] + (int)b[31 - t];
}
