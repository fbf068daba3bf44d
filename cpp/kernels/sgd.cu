// One step of stochastic gradient descent of one parameter, in place:
// g = gradient + weight_decay * value; moving = momentum * moving + taken * g, at first
// moving = g; value = value - rate * moving, with NESTEROV
// value = value - rate * (g + momentum * moving).
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one cell of all arrays, and reads and writes it once. Shared memory:
// none.
//
// Spec: Scalar (computed in), Source (of the arrays), DECAY, MOMENTUM, FIRST, NESTEROV,
// Index.
//
// Parameters: value, gradient, moving (null without MOMENTUM), all contiguous; rate,
// momentum, taken (1 - dampening), weight_decay; number of cells.
#include "spec.cuh"

extern "C" __global__ void sgd(Source* value, const Source* gradient, Source* moving,
                               Scalar rate, Scalar momentum, Scalar taken,
                               Scalar weight_decay, Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const Scalar old = static_cast<Scalar>(value[i]);
  Scalar g = static_cast<Scalar>(gradient[i]);
  if (DECAY) g = g + weight_decay * old;
  if (MOMENTUM) {
    const Scalar moved =
        FIRST ? g : momentum * static_cast<Scalar>(moving[i]) + taken * g;
    moving[i] = static_cast<Source>(moved);
    g = NESTEROV ? g + momentum * moved : moved;
  }
  value[i] = static_cast<Source>(old - rate * g);
}
