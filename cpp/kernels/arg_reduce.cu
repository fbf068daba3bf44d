// out[o] = position of the largest cell (or the smallest) along one dimension; of equal
// ones the first, and a NaN counts as the extreme.
//
// Launch: grid (outputs), block (TILE, 1, 1); none without outputs or cells.
//
// A block serves one output. A thread looks at every TILE-th cell, then the candidates
// meet in a tree in shared memory: `value` and `place`, a cell per thread each, written
// once and then at most log2(TILE) times more.
//
// Spec: Scalar, Index, NDIM (of the kept dimensions), TILE, Better.
//
// Parameters: out (contiguous, int64), in, shape of the kept dimensions, strides of
// `in` along them, length and step of the dimension.
#include "layout.cuh"
#include "spec.cuh"

// Does candidate a go before candidate b?
__device__ inline bool precedes(Scalar a, int at_a, Scalar b, int at_b) {
  const bool nan_a = a != a, nan_b = b != b;
  if (nan_a != nan_b) return nan_a;
  if (!nan_a && Better()(a, b)) return true;
  if (!nan_a && Better()(b, a)) return false;
  return at_a < at_b;
}

extern "C" __global__ void arg_reduce(long long* out, const Scalar* in, Shape shape,
                                      Strides in_strides, Index length, Index step) {
  __shared__ Scalar value[TILE];
  __shared__ int place[TILE];
  const int t = threadIdx.x;
  const Index output = blockIdx.x;
  const Scalar* cell = in + offset_of<NDIM>(output, shape, in_strides);
  if (t < length) {
    value[t] = cell[t * step];
    place[t] = t;
#pragma unroll 1
    for (Index i = t + TILE; i < length; i += TILE) {
      const Scalar next = cell[i * step];
      if (precedes(next, static_cast<int>(i), value[t], place[t])) {
        value[t] = next;
        place[t] = static_cast<int>(i);
      }
    }
  }
#pragma unroll 1
  for (int half = TILE / 2; half > 0; half /= 2) {
    __syncthreads();
    const int other = t + half;
    if (t < half && other < length &&
        precedes(value[other], place[other], value[t], place[t])) {
      value[t] = value[other];
      place[t] = place[other];
    }
  }
  if (t == 0) out[output] = place[0];
}
