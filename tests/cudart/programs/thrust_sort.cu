// Thrust: a scan, a sort and a reduction on the device.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <cstdio>

int main() {
  thrust::device_vector<int> values(1000);
  for (int i = 0; i < 1000; ++i) values[i] = (i * 37) % 1000;
  thrust::sort(values.begin(), values.end());
  const int sum = thrust::reduce(values.begin(), values.end());
  thrust::inclusive_scan(values.begin(), values.end(), values.begin());
  if (sum != 499500 || values[999] != sum) return 1;
  std::puts("right");
}
