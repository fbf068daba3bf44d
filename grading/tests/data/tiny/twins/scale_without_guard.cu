// kernels/scale.cu fails 1.3-scale.values, 1.3-scale.clean: oob_global
extern "C" __global__ void scale(float *x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= factor;  // wrong: threads behind the end have no cell
}
