// Owns bringing groups of cells to mean 0 and variance 1 on both devices.
#include "ops/standardise.h"

#include <bit>

#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

using cpu::Groups;

/// One block a group, with as many threads as it has cells, up to kThreads.
void run(KernelLaunch& launch, const Groups& shape) {
  const auto cells = static_cast<uint64_t>(shape.outer * shape.inner);
  const auto threads =
      static_cast<uint32_t>(std::bit_ceil(std::min<uint64_t>(cells, kThreads)));
  launch.line(base::text("constexpr int TILE = ", threads, ";"));
  launch.run({static_cast<uint32_t>(shape.groups)}, {threads});
}

}  // namespace

Standardised standardise(const Array& a, const Groups& shape, double epsilon,
                         const char* where) {
  const runtime::OpScope scope("standardise", {&a});
  if (shape.outer * shape.groups * shape.inner != a.size() ||
      (a.size() == 0 && shape.groups > 0)) {
    throw base::ValueError(where, base::text("got ", base::tuple_text(a.shape()),
                                             "; need at least one value to take a "
                                             "mean of."));
  }
  const Dtype real = computed_in(a.dtype());
  const Dtype dtype = result_dtype(a.dtype());
  const Array x = ready(a);
  Array y = empty(a.shape(), real, a.device());
  Array mean = empty(Shape{shape.groups}, real, a.device());
  Array variance = empty(mean.shape(), real, a.device());
  Array scale = empty(mean.shape(), real, a.device());
  if (y.size() > 0 && a.device() == Device::Cuda) {
    KernelLaunch launch("standardise", real);
    launch.reach(x);
    for (const Array& array : {y, mean, variance, scale, x}) launch.add(array);
    for (int64_t size : {shape.outer, shape.groups, shape.inner})
      launch.add_index(size);
    launch.add_scalar(epsilon);
    run(launch, shape);
  } else if (y.size() > 0) {
    visit_real(real, where, [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::standardise<T>(shape, epsilon, x.data<T>(), y.data<T>(), mean.data<T>(),
                          variance.data<T>(), scale.data<T>());
    });
  }
  return {cast(y, dtype), mean, variance, scale};
}

Array standardise_grad(const Array& gradient, const Array& a, const Array& mean,
                       const Array& scale, const Groups& shape, const char* where) {
  const runtime::OpScope scope("standardise_grad", {&gradient, &a});
  const Dtype real = mean.dtype();
  const Array g = contiguous(cast(gradient, real)), x = contiguous(cast(a, real));
  Array dx = empty(a.shape(), real, a.device());
  if (dx.size() > 0 && a.device() == Device::Cuda) {
    KernelLaunch launch("standardise_grad", real);
    launch.reach(x);
    for (const Array& array : {dx, g, x, mean, scale}) launch.add(array);
    for (int64_t size : {shape.outer, shape.groups, shape.inner})
      launch.add_index(size);
    run(launch, shape);
  } else if (dx.size() > 0) {
    visit_real(real, where, [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::standardise_grad<T>(shape, g.data<T>(), x.data<T>(), mean.data<T>(),
                               scale.data<T>(), dx.data<T>());
    });
  }
  return cast(dx, gradient.dtype());
}

}  // namespace minitorch::ops
