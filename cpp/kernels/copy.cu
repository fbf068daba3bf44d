// target[i] = source[i] in row-major order, between any two strided layouts of one
// shape, with conversion of the element type: contiguous(), permute, broadcast_to,
// astype.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one cell of the target. Shared memory: none. Each cell of the source is
// read once per target cell that it is broadcast to.
//
// Spec: Scalar (of the target), Source, Index, NDIM.
//
// Parameters: target, source, shape of the walk, strides of target, strides of source,
// number of cells.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void copy(Scalar* target, const Source* source, Shape shape,
                                Strides target_strides, Strides source_strides,
                                Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  target[offset_of<NDIM>(i, shape, target_strides)] =
      static_cast<Scalar>(source[offset_of<NDIM>(i, shape, source_strides)]);
}
