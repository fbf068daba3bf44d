// patients/spread.cu fails 5.9, 5.9-few: race_shared
__global__ void spread(double* spreads, const double* a) {
  extern __shared__ double memory[];
  double* numbers = memory;
  unsigned char* counts = reinterpret_cast<unsigned char*>(numbers);

  int t = threadIdx.x;
  double mine = a[blockIdx.x * blockDim.x + t];
  numbers[t] = mine;
  counts[t] = mine >= 0;  // wrong: the bytes lie in the numbers
  __syncthreads();

  if (t == 0) {
    double smallest = 1e300, largest = -1e300;
    for (int k = 0; k < blockDim.x; ++k) {
      if (counts[k]) {
        smallest = fmin(smallest, numbers[k]);
        largest = fmax(largest, numbers[k]);
      }
    }
    spreads[blockIdx.x] = largest - smallest;
  }
}
