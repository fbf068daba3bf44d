// out[i] = condition[i] ? a[i] : number, or with the two exchanged; `condition` and `a`
// may be strided or broadcast.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one output cell. Shared memory: none. `a` is read only where it is
// chosen.
//
// Spec: Scalar, Condition, NUMBER_FIRST (the number stands where the condition holds),
// Index, NDIM.
//
// Parameters: out (contiguous), condition, a, number, shape of the walk, strides of
// condition and of a, number of outputs.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void where_number(Scalar* out, const Condition* condition,
                                        const Scalar* a, Scalar number, Shape shape,
                                        Strides condition_strides, Strides a_strides,
                                        Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const bool holds =
      static_cast<bool>(condition[offset_of<NDIM>(i, shape, condition_strides)]);
  out[i] = holds != NUMBER_FIRST ? a[offset_of<NDIM>(i, shape, a_strides)] : number;
}
