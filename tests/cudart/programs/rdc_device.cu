// The other file of rdc_main.cu.
__device__ int offset;

__device__ void store(int* values, int i, int value) {
  values[i] = value;  // fault: oob_global
}
