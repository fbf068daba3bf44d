// Task 5.9, a patient of the clinic: one fault is planted in this kernel.
//
// spreads[b] = largest - smallest of the numbers of block b that count: those that are
// not negative. Of each thread the block keeps a byte (does its number count?) and a
// double (the number) in one piece of shared memory.
//
// Launch: blocks of any number of threads, a thread for each number (there is one for
// each), 9 bytes of dynamic shared memory for each thread. One number at least of each
// block counts.

__global__ void spread(double* spreads, const double* a) {
  extern __shared__ double memory[];
  /// BEGIN SOLUTION
  /// BEGIN STARTER
  // unsigned char* counts = reinterpret_cast<unsigned char*>(memory);
  // double* numbers = reinterpret_cast<double*>(counts + blockDim.x);
  /// END STARTER
  double* numbers = memory;  // first what needs the larger alignment
  unsigned char* counts = reinterpret_cast<unsigned char*>(numbers + blockDim.x);
  /// END SOLUTION

  int t = threadIdx.x;
  double mine = a[blockIdx.x * blockDim.x + t];
  numbers[t] = mine;
  counts[t] = mine >= 0;
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
