// out[i] = a[i with index[i] in place of the coordinate along one dimension]: gather,
// rows by their numbers, indexing with integer arrays.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one output cell. Shared memory: none. Each cell of `index` is read once
// per output cell that it is broadcast to; a cell of `a` as often as it is named.
//
// Spec: Scalar, Index, NDIM.
//
// Parameters: out (contiguous), a, index (within -length … length - 1), shape of the
// walk, strides of a (0 along the dimension), strides of index, length and step of the
// dimension in a, number of outputs.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void gather(Scalar* out, const Scalar* a, const long long* index,
                                  Shape shape, Strides a_strides, Strides index_strides,
                                  Index length, Index step, Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  Index at = static_cast<Index>(index[offset_of<NDIM>(i, shape, index_strides)]);
  if (at < 0) at += length;  // counted from the end
  out[i] = a[offset_of<NDIM>(i, shape, a_strides) + at * step];
}
