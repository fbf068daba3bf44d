// out[i] = the random number that belongs to cell i: uniform in [0, 1), or normal with
// mean 0 and variance 1 by Box and Muller.
//
// Launch: grid (ceil(ceil(cells / 2) / block.x)), block (any, 1, 1); none when out is
// empty.
//
// A thread owns two neighbouring cells, which one block of Philox decides. Shared
// memory: none.
//
// Spec: Scalar, NORMAL, Index.
//
// Parameters: out (contiguous); seed and first block of the random stream; where in
// memory both begin instead, or null (philox.cuh); cells of out.
#include "philox.cuh"
#include "spec.cuh"

extern "C" __global__ void random(Scalar* out, unsigned long long seed,
                                  unsigned long long first, const Place* place,
                                  Index cells) {
  const Index i = 2 * (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x);
  if (i >= cells) return;
  const Words words =
      philox_at(seed, first + static_cast<unsigned long long>(i / 2), place);
  double a = unit(words.at[0], words.at[1]), b = unit(words.at[2], words.at[3]);
  if (NORMAL) {
    const double radius = sqrt(-2 * log(1 - a));  // 1 - a is in (0, 1]
    const double angle = 2 * 3.141592653589793 * b;
    a = radius * cos(angle);
    b = radius * sin(angle);
  }
  out[i] = static_cast<Scalar>(a);
  if (i + 1 < cells) out[i + 1] = static_cast<Scalar>(b);
}
