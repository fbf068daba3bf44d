// kernels/scale.cu fails 1.3-scale.clean: race_global
extern "C" __global__ void scale(float *x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[0] < 1e30f) {  // wrong: thread 0 may have scaled it already
    x[i] *= factor;
  }
}
