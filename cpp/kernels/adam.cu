// One step of Adam of one parameter, in place: mean = b1 * mean + (1 - b1) * g;
// square = b2 * square + (1 - b2) * g * g;
// value = value - rate / (1 - b1^t) * mean / (sqrt(square / (1 - b2^t)) + epsilon).
// With DECAY g is gradient + decay * value, or with DECOUPLED (AdamW) value is first
// multiplied by 1 - rate * decay.
//
// Launch: grid (ceil(size / block.x)), block (any, 1, 1); none when size is 0.
//
// A thread owns one cell of all arrays, and reads and writes it once. Shared memory:
// none.
//
// Spec: Scalar (computed in), Source (of the arrays), DECAY, DECOUPLED, COUNTED, Index.
//
// Parameters: value, gradient, mean, square, all contiguous; with COUNTED the number of
// this step, which lies in memory so that a graph's replays go on counting, else null;
// the number of this step; rate, b1, b2, epsilon, decay; number of cells.
#include "python_math.cuh"
#include "spec.cuh"

extern "C" __global__ void adam(Source* value, const Source* gradient, Source* mean,
                                Source* square, const float* counted, long long step,
                                double rate, double b1, double b2, double epsilon,
                                double decay, Index size) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const long long t = COUNTED ? static_cast<long long>(*counted) : step;
  const Scalar shrunk = static_cast<Scalar>(rate / (1 - power(b1, t)));
  const Scalar grown = static_cast<Scalar>(1 - power(b2, t));
  Scalar old = static_cast<Scalar>(value[i]);
  Scalar g = static_cast<Scalar>(gradient[i]);
  if (DECAY && DECOUPLED) old = old * static_cast<Scalar>(1 - rate * decay);
  if (DECAY && !DECOUPLED) g = g + static_cast<Scalar>(decay) * old;
  const Scalar first = static_cast<Scalar>(b1) * static_cast<Scalar>(mean[i]) +
                       static_cast<Scalar>(1 - b1) * g;
  const Scalar second = static_cast<Scalar>(b2) * static_cast<Scalar>(square[i]) +
                        static_cast<Scalar>(1 - b2) * g * g;
  mean[i] = static_cast<Source>(first);
  square[i] = static_cast<Source>(second);
  const Scalar spread = sqrt(second / grown) + static_cast<Scalar>(epsilon);
  value[i] = static_cast<Source>(old - shrunk * (first / spread));
}
