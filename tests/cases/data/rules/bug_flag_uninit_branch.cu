extern "C" __global__ void k(const int* in, int* out, int n) {
  bool found;
  for (int i = 0; i < n; i++)
    if (in[i] == threadIdx.x + 100) found = true;
  if (found) out[threadIdx.x] = 1;
  else out[threadIdx.x] = 2;
}
