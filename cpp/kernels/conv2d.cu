// out = convolution of x with w, plus a bias: each output cell is the product of its
// window of the image with the weights of its channel.
//
// x (batch, channels, height, width), w (outputs, channels / groups, kernel rows,
// kernel columns) -> out (batch, outputs, rows, columns)
//
// Launch: grid (ceil(cells of out / block.x)), block (any, 1, 1); none when out is
// empty.
//
// A thread owns one output cell, and reads channels / groups * kernel rows * kernel
// columns cells of x and of w. Neighbouring threads read neighbouring cells of x and
// the same cell of w. Shared memory: none.
//
// Spec: Scalar, Index, BIAS (false: the bias is not read).
//
// Parameters: out, x, w, bias (outputs,), all contiguous; shape; cells of out.
#include "spec.cuh"
#include "windows.cuh"

extern "C" __global__ void conv2d(Scalar* out, const Scalar* x, const Scalar* w,
                                  const Scalar* bias, ConvShape shape, Index cells) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const SlidingAxis& rows = shape.rows;
  const SlidingAxis& columns = shape.columns;
  const Index column = i % static_cast<Index>(columns.count);
  const Index row =
      i / static_cast<Index>(columns.count) % static_cast<Index>(rows.count);
  const Index plane = i / static_cast<Index>(columns.count * rows.count);
  const Index output = plane % static_cast<Index>(shape.outputs);
  const Index image = plane / static_cast<Index>(shape.outputs);
  const Index depth = static_cast<Index>(shape.channels / shape.groups);
  const Index group = output / static_cast<Index>(shape.outputs / shape.groups);
  const Index height = static_cast<Index>(rows.size);
  const Index width = static_cast<Index>(columns.size);

  x += (image * static_cast<Index>(shape.channels) + group * depth) * height * width;
  const Index taps = static_cast<Index>(rows.kernel * columns.kernel);
  w += output * depth * taps;
  Scalar sum = BIAS ? bias[output] : Scalar(0);
#pragma unroll 1
  for (Index ky = 0; ky < static_cast<Index>(rows.kernel); ++ky) {
    const Index y = position_of(rows, row, ky);
    const bool row_inside = inside(rows, y);
#pragma unroll 1
    for (Index kx = 0; kx < static_cast<Index>(columns.kernel); ++kx, ++w) {
      const Index at = position_of(columns, column, kx);
      // Padding is a 0 like any other: times an infinite weight it is NaN.
      const bool is_cell = row_inside && inside(columns, at);
      const Scalar* cell = x + y * width + at;
      const Scalar* weight = w;
      for (Index c = 0; c < depth; ++c) {
        sum += *weight * (is_cell ? *cell : Scalar(0));
        cell += height * width;
        weight += taps;
      }
    }
  }
  out[i] = sum;
}
