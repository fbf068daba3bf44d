// Owns the choice between two arrays on both devices.
#include "ops/where.h"

#include "cpu/where.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/layout.h"

namespace minitorch::ops {

Array where(const Array& condition, const Array& a, const Array& b) {
  require_one_device("where", condition, a);
  require_one_device("where", a, b);
  const Dtype dtype = promote(a.dtype(), b.dtype());
  const Shape values = broadcast_shapes(a.shape(), b.shape(), "where");
  const Shape shape = broadcast_shapes(condition.shape(), values, "where");
  const Array chosen = spread(cast(condition, Dtype::Bool), shape);
  const Array left = spread(cast(a, dtype), shape);
  const Array right = spread(cast(b, dtype), shape);
  Array out = empty(shape, dtype, a.device());
  if (out.size() == 0) return out;
  if (a.device() == Device::Cpu) {
    visit_size(size_of(dtype), [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::where<T>(shape, host_input<bool>(chosen), host_input<T>(left),
                    host_input<T>(right), host_output<T>(out));
    });
    return out;
  }
  KernelLaunch launch("where", dtype);
  launch.walk(shape, {&chosen, &left, &right});
  launch.add(out);
  launch.add(chosen);
  launch.add(left);
  launch.add(right);
  launch.add_shape();
  for (size_t i = 0; i < 3; ++i) launch.add_strides(i);
  launch.add_index(out.size());
  launch.run_elementwise();
  return out;
}

}  // namespace minitorch::ops
