// out[i] = Fn(a[i], number), or Fn(number, a[i]), for every element: an array beside a
// number of Python's, which is an argument of the launch and no array. `a` may be
// strided.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one output cell. Shared memory: none. Each cell of `a` is read once,
// each cell of `out` is written once.
//
// Spec: Scalar (of out), Source (of a), Working (of Fn), NUMBER_FIRST, Index, NDIM, Fn.
//
// Parameters: out (contiguous), a, number, shape of the walk, strides of a, number of
// outputs.
#include "layout.cuh"
#include "spec.cuh"

extern "C" __global__ void zip_number(Scalar* out, const Source* a, Working number,
                                      Shape shape, Strides a_strides, Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const Working element = static_cast<Working>(a[offset_of<NDIM>(i, shape, a_strides)]);
  out[i] =
      static_cast<Scalar>(NUMBER_FIRST ? Fn()(number, element) : Fn()(element, number));
}
