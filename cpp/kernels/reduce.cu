// out[o] = Fn(start, cells of output o joined by Fn): a fold along one dimension, of
// any length. Fn must be associative and commutative up to rounding.
//
// Launch: grid (ceil(outputs / (TILE / GROUP)), segments), block (TILE, 1, 1).
//
// A block serves TILE / GROUP outputs with GROUP threads each. A thread folds every
// GROUP-th cell of its segment. Then the partial results meet in a tree in shared
// memory (`partial`, one cell per thread), which halves the active threads at each
// step.
//
// Each cell of `in` is read once. Each cell of `partial` is written once, then at most
// log2(GROUP) times more, and read as often.
//
// With more than one segment, out has (segments, outputs) cells of partial results
// without `start`, and a second launch folds over its first dimension. A segment may
// not be empty, unless it is the only one: then the output is `start`.
//
// Spec: Scalar, Index, NDIM (of the kept dimensions), TILE, GROUP, ALONG_ROWS, Fn.
//
// Parameters: out (contiguous), in, shape of the kept dimensions, strides of `in` along
// them, number of outputs, length and step of the folded dimension, cells per segment,
// start.
#include "layout.cuh"
#include "spec.cuh"

constexpr int SLOTS = TILE / GROUP;  // outputs of a block
// Neighbouring threads should touch neighbouring memory: cells of one output when the
// folded dimension is the inner one, else the same cell of neighbouring outputs.
constexpr int MEMBER_STEP = ALONG_ROWS ? 1 : SLOTS;

extern "C" __global__ void reduce(Scalar* out, const Scalar* in, Shape shape,
                                  Strides in_strides, Index outputs, Index length,
                                  Index step, Index segment, Scalar start) {
  __shared__ Scalar partial[TILE];
  const int t = threadIdx.x;
  const int member = ALONG_ROWS ? t % GROUP : t / SLOTS;
  const int slot = ALONG_ROWS ? t / GROUP : t % SLOTS;
  const Index output = static_cast<Index>(blockIdx.x) * SLOTS + slot;
  const Index begin = static_cast<Index>(blockIdx.y) * segment;
  const Index end = begin + segment < length ? begin + segment : length;

  // Threads without an output or a cell stay for the barriers, with nothing to give.
  const Index cells = output < outputs ? end - begin : 0;
  const int givers = cells < GROUP ? static_cast<int>(cells) : GROUP;
  if (member < givers) {
    const Scalar* cell = in + offset_of<NDIM>(output, shape, in_strides);
    Scalar sum = cell[(begin + member) * step];
#pragma unroll 1
    for (Index i = begin + member + GROUP; i < end; i += GROUP) {
      sum = static_cast<Scalar>(Fn()(sum, cell[i * step]));
    }
    partial[t] = sum;
  }
#pragma unroll 1
  for (int half = GROUP / 2; half > 0; half /= 2) {
    __syncthreads();
    if (member < half && member + half < givers) {
      partial[t] =
          static_cast<Scalar>(Fn()(partial[t], partial[t + half * MEMBER_STEP]));
    }
  }
  if (member != 0 || output >= outputs) return;
  if (gridDim.y > 1) {
    out[static_cast<Index>(blockIdx.y) * outputs + output] = partial[t];
  } else {
    out[output] = givers > 0 ? static_cast<Scalar>(Fn()(start, partial[t])) : start;
  }
}
