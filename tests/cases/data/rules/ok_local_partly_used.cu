extern "C" __global__ void k(const int* in, int* out, int n) {
  int stack[64];
  int top = 0;
  for (int i = 0; i < n; i++) {
    if (in[i] & 1) stack[top++] = in[i];
    else if (top > 0) out[threadIdx.x] += stack[--top];
  }
}
