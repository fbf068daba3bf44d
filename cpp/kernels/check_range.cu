// Notes the first element of `a` that lies outside low … high; a NaN lies nowhere and
// is let through. The host hears of it when it waits for the device.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one element. Shared memory: none.
//
// Spec: Scalar, Index, NDIM.
//
// Parameters: a, shape of the walk, strides of a, number of elements, low, high, note,
// rule of the host's words.
#include "layout.cuh"
#include "refusal.cuh"
#include "spec.cuh"

extern "C" __global__ void check_range(const Scalar* a, Shape shape, Strides a_strides,
                                       Index size, double low, double high,
                                       Refusal* note, unsigned int rule) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const double x = static_cast<double>(a[offset_of<NDIM>(i, shape, a_strides)]);
  if (x < low || x > high) refuse(note, rule, 0, x, static_cast<long long>(i), size);
}
