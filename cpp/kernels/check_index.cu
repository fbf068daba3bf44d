// out[i] = index[i] where it is a whole number from `low` to size - 1, else 0 and a
// note of it: what is read at these indices stays inside, and the host hears of the
// first unfit one when it waits for the device.
//
// Launch: grid (ceil(count / block.x)), block (any, 1, 1); none when count is 0.
//
// A thread owns one index. Shared memory: none.
//
// Spec: Scalar (long long), Source (of index), Index, NDIM, IGNORED (some index stands
// for none and gives 0).
//
// Parameters: out (contiguous), index, shape of the walk, strides of index, count, low,
// size, the ignored index, note, rule of the host's words.
#include "layout.cuh"
#include "refusal.cuh"
#include "spec.cuh"

extern "C" __global__ void check_index(Scalar* out, const Source* index, Shape shape,
                                       Strides index_strides, Index count,
                                       long long low, long long size, long long ignored,
                                       Refusal* note, unsigned int rule) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Source given = index[offset_of<NDIM>(i, shape, index_strides)];
  const Scalar whole = static_cast<Scalar>(given);
  const bool skipped = IGNORED && whole == ignored;
  const bool fits = whole >= low && whole < size && static_cast<Source>(whole) == given;
  if (!fits && !skipped) {
    refuse(note, rule, whole, static_cast<double>(given), static_cast<long long>(i),
           size);
  }
  out[i] = fits && !skipped ? whole : 0;
}
