// patients/spread.cu fails 5.9-few: failed
__global__ void spread(double* spreads, const double* a) {
  if (threadIdx.x > 0) return;  // wrong: one thread needs no memory for the others
  double smallest = 1e300, largest = -1e300;
  const double* mine = a + blockIdx.x * blockDim.x;
  for (int k = 0; k < blockDim.x; ++k) {
    if (mine[k] < 0) continue;
    smallest = fmin(smallest, mine[k]);
    largest = fmax(largest, mine[k]);
  }
  spreads[blockIdx.x] = largest - smallest;
}
