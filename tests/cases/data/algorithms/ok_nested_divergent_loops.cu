extern "C" __global__ void k(int *out) {
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i <= t % 5; ++i) {
    if (i == 3) continue;
    for (int j = i; j < t % 7; ++j) {
      if (j == 4) break;
      sum += i * j + 1;
    }
    switch (i) { case 0: sum += 1; break; case 1: sum += 10; case 2: sum += 100; break; default: sum += 1000; }
  }
  out[t] = sum;
}
