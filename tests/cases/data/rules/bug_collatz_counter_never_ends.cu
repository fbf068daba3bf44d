extern "C" __global__ void k(unsigned* out, unsigned goal) {
  unsigned i = threadIdx.x * 2, rounds = 0;
  while (i != goal) {
    i += 2;
    rounds ^= i * 2654435761u;
    if (rounds == 12345u && i == 7u) out[1] = rounds;
  }
  out[0] = rounds;
}
