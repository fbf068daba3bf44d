__device__ void sort(int *v, int lo, int hi) {
  if (lo >= hi) return;
  int pivot = v[(lo + hi) / 2], i = lo, j = hi;
  while (i <= j) {
    while (v[i] < pivot) ++i;
    while (v[j] > pivot) --j;
    if (i <= j) { int x = v[i]; v[i++] = v[j]; v[j--] = x; }
  }
  sort(v, lo, j);
  sort(v, i, hi);
}
extern "C" __global__ void k(int *data, int each) { sort(data + threadIdx.x * each, 0, each - 1); }
