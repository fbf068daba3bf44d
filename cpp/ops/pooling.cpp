#include "ops/pooling.h"

#include <limits>

#include "cpu/pooling.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

using kernels::PoolShape;

PoolShape shape_of(const Shape& x, const PoolOptions& options) {
  if (x.size() < 3) {
    throw base::ValueError(options.where,
                           base::text("got ", base::tuple_text(x),
                                      "; need (n, channels, …) or (channels, …)."));
  }
  const size_t d = x.size();
  int64_t planes = 1;
  for (size_t i = 0; i + 2 < d; ++i) planes *= x[i];
  const PoolShape shape{planes, slide(options.windows, 0, x[d - 2], options.where),
                        slide(options.windows, 1, x[d - 1], options.where)};
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (shape.image() <= kMost) return shape;
  throw base::ValueError(options.where, base::text("got images of ", shape.image(),
                                                   " cells; need below 2**31."));
}

/// (…, height, width) -> (…, rows, columns)
Shape output_of(const Shape& input, const PoolShape& s) {
  Shape out = input;
  out[out.size() - 2] = s.rows.count;
  out[out.size() - 1] = s.columns.count;
  return out;
}

/// A launch over the cells of `out` whose parameters begin with `arrays`.
class PoolLaunch {
 public:
  PoolLaunch(const char* kernel, Dtype scalar,
             std::initializer_list<const Array*> arrays)
      : launch_(kernel, scalar) {
    for (const Array* array : arrays) {
      launch_.reach(*array);
      launch_.add(*array);
    }
  }
  KernelLaunch* operator->() { return &launch_; }
  void run(const Array& out) {
    launch_.add_index(out.size());
    const auto cells = static_cast<uint64_t>(out.size());
    launch_.run({static_cast<uint32_t>((cells + kThreads - 1) / kThreads)}, {kThreads});
  }

 private:
  KernelLaunch launch_;
};

void mean_line(PoolLaunch& launch, const PoolOptions& options) {
  launch->line(base::text("constexpr bool COUNT_PADDING = ",
                          options.count_padding ? "true;" : "false;"));
}

}  // namespace

MaxPool max_pool2d(const Array& a, const PoolOptions& options) {
  const runtime::OpScope scope("max_pool2d", {&a});
  const PoolShape shape = shape_of(a.shape(), options);
  const Array x = ready(a);
  Array out = empty(output_of(a.shape(), shape), x.dtype(), x.device());
  Array at = empty(out.shape(), Dtype::Int32, x.device());
  if (out.size() > 0 && x.device() == Device::Cuda) {
    PoolLaunch launch("max_pool2d", x.dtype(), {&out, &at, &x});
    launch->add_value(shape);
    launch.run(out);
  } else if (out.size() > 0) {
    visit_real(x.dtype(), options.where, [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::max_pool2d<T>(shape, x.data<T>(), out.data<T>(), at.data<int32_t>());
    });
  }
  return {cast(out, result_dtype(a.dtype())), at};
}

Array max_pool2d_grad(const Array& gradient, const Array& at, const Shape& input,
                      const PoolOptions& options) {
  const runtime::OpScope scope("max_pool2d_grad", {&gradient, &at});
  const PoolShape shape = shape_of(input, options);
  const Array g = ready(gradient);
  Array out = empty(input, g.dtype(), g.device());
  if (out.size() > 0 && g.device() == Device::Cuda) {
    PoolLaunch launch("max_pool2d_grad", g.dtype(), {&out, &g, &at});
    launch->add_value(shape);
    launch.run(out);
  } else if (out.size() > 0) {
    visit_real(g.dtype(), options.where, [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::max_pool2d_grad<T>(shape, g.data<T>(), at.data<int32_t>(), out.data<T>());
    });
  }
  return cast(out, result_dtype(gradient.dtype()));
}

Array pick(const Array& a, const Array& at, const PoolOptions& options) {
  const runtime::OpScope scope("pick", {&a, &at});
  const PoolShape shape = shape_of(a.shape(), options);
  const Array x = ready(a);
  Array out = empty(at.shape(), x.dtype(), x.device());
  if (out.size() > 0 && x.device() == Device::Cuda) {
    PoolLaunch launch("pick", x.dtype(), {&out, &x, &at});
    launch->add_index(shape.windows());
    launch->add_index(shape.image());
    launch.run(out);
  } else if (out.size() > 0) {
    visit_real(x.dtype(), options.where, [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::pick<T>(shape, x.data<T>(), at.data<int32_t>(), out.data<T>());
    });
  }
  return cast(out, result_dtype(a.dtype()));
}

Array avg_pool2d(const Array& a, const PoolOptions& options) {
  const runtime::OpScope scope("avg_pool2d", {&a});
  const PoolShape shape = shape_of(a.shape(), options);
  const Array x = ready(a);
  Array out = empty(output_of(a.shape(), shape), x.dtype(), x.device());
  if (out.size() > 0 && x.device() == Device::Cuda) {
    PoolLaunch launch("avg_pool2d", x.dtype(), {&out, &x});
    mean_line(launch, options);
    launch->add_value(shape);
    launch.run(out);
  } else if (out.size() > 0) {
    visit_real(x.dtype(), options.where, [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::avg_pool2d<T>(shape, options.count_padding, x.data<T>(), out.data<T>());
    });
  }
  return cast(out, result_dtype(a.dtype()));
}

Array avg_pool2d_grad(const Array& gradient, const Shape& input,
                      const PoolOptions& options) {
  const runtime::OpScope scope("avg_pool2d_grad", {&gradient});
  const PoolShape shape = shape_of(input, options);
  const Array g = ready(gradient);
  Array out = empty(input, g.dtype(), g.device());
  if (out.size() > 0 && g.device() == Device::Cuda) {
    PoolLaunch launch("avg_pool2d_grad", g.dtype(), {&out, &g});
    mean_line(launch, options);
    launch->add_value(shape);
    launch.run(out);
  } else if (out.size() > 0) {
    visit_real(g.dtype(), options.where, [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::avg_pool2d_grad<T>(shape, options.count_padding, g.data<T>(), out.data<T>());
    });
  }
  return cast(out, result_dtype(gradient.dtype()));
}

}  // namespace minitorch::ops
