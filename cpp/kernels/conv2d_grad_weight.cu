// dw = for each weight, the sum over all windows of all images of the window's gradient
// times the cell that the weight met there.
//
// g (batch, outputs, rows, columns), x (batch, channels, height, width) -> dw (outputs,
// channels / groups, kernel rows, kernel columns)
//
// Launch: grid (ceil(cells of dw / SLOTS)), block (GROUP, SLOTS, 1); none when dw is
// empty.
//
// A block owns SLOTS = TILE / GROUP weights, with GROUP threads each. A thread takes
// every GROUP-th window and adds up its products; the partial sums of a weight meet in
// a tree in shared memory (`partial`, one cell per thread), which halves the active
// threads at each step. Few weights need many threads each to fill a GPU; where there
// are many, a thread each is enough, and no sums meet.
//
// Each cell of g is read once per weight of its output channel.
//
// Spec: Scalar, Index, TILE, GROUP (a power of two).
//
// Parameters: dw, g, x, all contiguous; shape; cells of dw.
#include "spec.cuh"
#include "windows.cuh"

extern "C" __global__ void conv2d_grad_weight(Scalar* dw, const Scalar* g,
                                              const Scalar* x, ConvShape shape,
                                              Index cells) {
  __shared__ Scalar partial[TILE / GROUP][GROUP];
  const SlidingAxis& rows = shape.rows;
  const SlidingAxis& columns = shape.columns;
  const int member = threadIdx.x, slot = threadIdx.y;
  const Index cell = static_cast<Index>(blockIdx.x) * (TILE / GROUP) + slot;
  const Index kx = cell % static_cast<Index>(columns.kernel);
  const Index ky =
      cell / static_cast<Index>(columns.kernel) % static_cast<Index>(rows.kernel);
  const Index plane = cell / static_cast<Index>(columns.kernel * rows.kernel);
  const Index depth = static_cast<Index>(shape.channels / shape.groups);
  const Index output = plane / depth;
  const Index group = output / static_cast<Index>(shape.outputs / shape.groups);
  const Index channel = group * depth + plane % depth;
  const Index width = static_cast<Index>(columns.size);
  const Index image_cells = static_cast<Index>(rows.size) * width;
  const Index across = static_cast<Index>(columns.count);
  const Index down = static_cast<Index>(rows.count);

  // A thread without a weight stays for the barriers, with nothing to give.
  const Index batch = cell < cells ? static_cast<Index>(shape.batch) : 0;
  g += output * down * across;
  x += channel * image_cells;
  // The window after the next GROUP - 1 is found without a division.
  Index column = member % across;
  Index row = member / across % down;
  Index image = member / (across * down);
  Scalar sum = 0;
#pragma unroll 1
  while (image < batch) {
    const Index y = position_of(rows, row, ky);
    const Index at = position_of(columns, column, kx);
    const bool is_cell = inside(rows, y) && inside(columns, at);
    const Index window =
        (image * static_cast<Index>(shape.outputs) * down + row) * across + column;
    const Index place =
        image * static_cast<Index>(shape.channels) * image_cells + y * width + at;
    sum += g[window] * (is_cell ? x[place] : Scalar(0));

    column += GROUP % across;
    row += GROUP / across % down;
    image += GROUP / (across * down);
    if (column >= across) {
      column -= across;
      ++row;
    }
    if (row >= down) {
      row -= down;
      ++image;
    }
  }
  partial[slot][member] = sum;
#pragma unroll 1
  for (int half = GROUP / 2; half > 0; half /= 2) {
    __syncthreads();
    if (member < half) partial[slot][member] += partial[slot][member + half];
  }
  if (member == 0 && cell < cells) dw[cell] = partial[slot][0];
}
