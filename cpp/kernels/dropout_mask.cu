// out[i] = 0 with probability `rate`, else `kept`, by the random number that belongs to
// cell i: the same on every device.
//
// Launch: grid (ceil(ceil(cells / 2) / block.x)), block (any, 1, 1); none when out is
// empty.
//
// A thread owns two neighbouring cells, which one block of Philox decides. Shared
// memory: none.
//
// Spec: Scalar, Index.
//
// Parameters: out (contiguous); seed and first block of the random stream; where in
// memory both begin instead, or null (philox.cuh); rate; kept; cells of out.
#include "philox.cuh"
#include "spec.cuh"

extern "C" __global__ void dropout_mask(Scalar* out, unsigned long long seed,
                                        unsigned long long first, const Place* place,
                                        double rate, Scalar kept, Index cells) {
  const Index i = 2 * (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x);
  if (i >= cells) return;
  const Words words =
      philox_at(seed, first + static_cast<unsigned long long>(i / 2), place);
  out[i] = unit(words.at[0], words.at[1]) < rate ? Scalar(0) : kept;
  if (i + 1 < cells)
    out[i + 1] = unit(words.at[2], words.at[3]) < rate ? Scalar(0) : kept;
}
