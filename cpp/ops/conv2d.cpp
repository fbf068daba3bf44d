#include "ops/conv2d.h"

#include <limits>

#include "cpu/conv2d.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

using kernels::ConvShape;

// A weight gets more threads than one until the launch has so many, which is what a
// large GPU holds, and while each sums so many windows.
constexpr int64_t kThreadsWanted = 1 << 16;
constexpr int64_t kWindowsPerThread = 16;

// Tiles pay where they are mostly full: a block of threads shares what it reads.
constexpr uint32_t kTile = 16;

void require_fit(const Shape& x, const Shape& w, const ConvOptions& options) {
  const bool four = x.size() == 4 && w.size() == 4;
  const int64_t groups = options.groups;
  if (four && groups >= 1 && x[1] >= 1 && w[0] >= 1 && x[1] == w[1] * groups &&
      w[0] % groups == 0) {
    return;
  }
  throw base::ValueError(
      options.where,
      base::text("got x ", base::tuple_text(x), ", weight ", base::tuple_text(w),
                 " and ", groups,
                 " groups; need x (n, channels, height, width) and "
                 "weight (outputs, channels / groups, rows, columns), with channels "
                 "and outputs that the groups divide."));
}

/// Checks that x and w fit, and says how the windows slide.
ConvShape shape_of(const Shape& x, const Shape& w, const ConvOptions& options) {
  require_fit(x, w, options);
  const Windows windows{
      {w[2], w[3]}, options.stride, options.before, options.after, options.dilation};
  const ConvShape shape{x[0],
                        x[1],
                        w[0],
                        options.groups,
                        slide(windows, 0, x[2], options.where),
                        slide(windows, 1, x[3], options.where)};
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (shape.taps() > kMost || shape.windows() > kMost || w[0] > kMost) {
    throw base::ValueError(
        options.where, base::text("got ", shape.taps(), " taps and ", shape.windows(),
                                  " windows; need below 2**31."));
  }
  return shape;
}

Shape output_of(const ConvShape& s) {
  return Shape{s.batch, s.outputs, s.rows.count, s.columns.count};
}

void require_gradient(const Array& g, const ConvShape& shape,
                      const ConvOptions& options) {
  if (g.shape() == output_of(shape)) return;
  throw base::ValueError(
      options.where, base::text("got a gradient ", base::tuple_text(g.shape()),
                                "; need ", base::tuple_text(output_of(shape)), "."));
}

/// Row-major, of `dtype`.
Array ready(const Array& a, Dtype dtype) { return contiguous(cast(a, dtype)); }

/// What the three launches share: the kernel's first arguments and its shape.
KernelLaunch prepare(const char* kernel, const Array& out, const Array& a,
                     const Array& b) {
  KernelLaunch launch(kernel, out.dtype());
  for (const Array* array : {&out, &a, &b}) {
    launch.reach(*array);
    launch.add(*array);
  }
  return launch;
}

uint32_t blocks_of(int64_t cells, uint32_t threads) {
  return static_cast<uint32_t>((cells + threads - 1) / threads);
}

void finish(KernelLaunch& launch, const ConvShape& shape, const Array& out) {
  launch.add_value(shape);
  launch.add_index(out.size());
  launch.run({blocks_of(out.size(), kThreads)}, {kThreads});
}

/// Whether a product of (rows, terms) and (terms, columns) fills tiles.
bool fills_tiles(int64_t rows, int64_t columns, int64_t terms) {
  return rows >= 2 * kTile && columns >= kTile && terms >= kTile;
}

/// Launches a product of matrices for each group, in tiles.
void run_tiled(KernelLaunch& launch, const ConvShape& shape, int64_t rows,
               int64_t columns) {
  launch.line(base::text("constexpr int TILE = ", kTile, ";"));
  launch.add_value(shape);
  launch.run({blocks_of(columns, kTile), blocks_of(rows, kTile),
              static_cast<uint32_t>(shape.groups)},
             {kTile, kTile});
}

void conv2d_on_device(const ConvShape& shape, const Array& x, const Array& w,
                      const Array& bias, const Array& out) {
  const int64_t windows = shape.batch * shape.windows();
  const bool tiled = fills_tiles(shape.group_outputs(), windows, shape.taps());
  KernelLaunch launch = prepare(tiled ? "conv2d_tiled" : "conv2d", out, x, w);
  launch.line(
      base::text("constexpr bool BIAS = ", bias.defined() ? "true;" : "false;"));
  if (bias.defined()) {
    launch.add(bias);
  } else {
    launch.add_value(uint64_t{0});
  }
  if (!tiled) return finish(launch, shape, out);
  run_tiled(launch, shape, shape.group_outputs(), windows);
}

void grad_input_on_device(const ConvShape& shape, const Array& g, const Array& w,
                          const Array& out) {
  const int64_t cells = shape.batch * shape.image();
  const int64_t terms =
      shape.group_outputs() * shape.rows.kernel * shape.columns.kernel;
  if (fills_tiles(shape.group_channels(), cells, terms)) {
    KernelLaunch launch = prepare("conv2d_grad_input_tiled", out, g, w);
    return run_tiled(launch, shape, shape.group_channels(), cells);
  }
  KernelLaunch launch = prepare("conv2d_grad_input", out, g, w);
  finish(launch, shape, out);
}

void grad_weight_on_device(const ConvShape& shape, const Array& g, const Array& x,
                           const Array& out) {
  const int64_t windows = shape.batch * shape.windows();
  if (fills_tiles(shape.group_outputs(), shape.taps(), windows)) {
    KernelLaunch launch = prepare("conv2d_grad_weight_tiled", out, g, x);
    return run_tiled(launch, shape, shape.group_outputs(), shape.taps());
  }
  uint32_t group = 1;
  while (group < kThreads && out.size() * group < kThreadsWanted &&
         windows >= 2 * group * kWindowsPerThread) {
    group *= 2;
  }
  const uint32_t slots = kThreads / group;
  KernelLaunch launch = prepare("conv2d_grad_weight", out, g, x);
  launch.line(base::text("constexpr int TILE = ", kThreads, ";"));
  launch.line(base::text("constexpr int GROUP = ", group, ";"));
  launch.add_value(shape);
  launch.add_index(out.size());
  launch.run({blocks_of(out.size(), slots)}, {group, slots});
}

}  // namespace

Array conv2d(const Array& x, const Array& w, const Array& bias,
             const ConvOptions& options) {
  runtime::OpScope scope("conv2d", {&x, &w, &bias});
  const ConvShape shape = shape_of(x.shape(), w.shape(), options);
  require_one_device(options.where, x, w);
  if (bias.defined()) {
    require_one_device(options.where, x, bias);
    if (bias.shape() != Shape{shape.outputs}) {
      throw base::ValueError(options.where,
                             base::text("got bias ", base::tuple_text(bias.shape()),
                                        "; need (", shape.outputs, ",)."));
    }
  }
  const Dtype dtype = result_dtype(promote(x.dtype(), w.dtype())),
              real = computed_in(dtype);
  Array out = empty(output_of(shape), real, x.device());
  scope.result(out);
  if (out.size() == 0) return cast(out, dtype);
  const Array image = ready(x, real), weight = ready(w, real);
  const Array added = bias.defined() ? ready(bias, real) : bias;
  if (x.device() == Device::Cuda) {
    conv2d_on_device(shape, image, weight, added, out);
    return cast(out, dtype);
  }
  visit_real(real, options.where, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::conv2d<T>(shape, image.data<T>(), weight.data<T>(),
                   added.defined() ? added.data<T>() : nullptr, out.data<T>());
  });
  return cast(out, dtype);
}

Array conv2d_grad_input(const Array& g, const Array& w, const Shape& input,
                        const ConvOptions& options) {
  const runtime::OpScope scope("conv2d_grad_input", {&g, &w});
  const ConvShape shape = shape_of(input, w.shape(), options);
  require_gradient(g, shape, options);
  const Dtype dtype = result_dtype(promote(g.dtype(), w.dtype())),
              real = computed_in(dtype);
  if (g.size() == 0) return full(input, 0, dtype, g.device());
  Array out = empty(input, real, g.device());
  const Array gradient = ready(g, real), weight = ready(w, real);
  if (g.device() == Device::Cuda) {
    grad_input_on_device(shape, gradient, weight, out);
    return cast(out, dtype);
  }
  visit_real(real, options.where, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::conv2d_grad_input<T>(shape, gradient.data<T>(), weight.data<T>(),
                              out.data<T>());
  });
  return cast(out, dtype);
}

Array conv2d_grad_weight(const Array& g, const Array& x, const Shape& weight,
                         const ConvOptions& options) {
  runtime::OpScope scope("conv2d_grad_weight", {&g, &x});
  const ConvShape shape = shape_of(x.shape(), weight, options);
  require_gradient(g, shape, options);
  const Dtype dtype = result_dtype(promote(g.dtype(), x.dtype())),
              real = computed_in(dtype);
  if (g.size() == 0) return full(weight, 0, dtype, g.device());
  Array out = empty(weight, real, g.device());
  scope.result(out);
  const Array gradient = ready(g, real), image = ready(x, real);
  if (g.device() == Device::Cuda) {
    grad_weight_on_device(shape, gradient, image, out);
    return cast(out, dtype);
  }
  visit_real(real, options.where, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::conv2d_grad_weight<T>(shape, gradient.data<T>(), image.data<T>(),
                               out.data<T>());
  });
  return cast(out, dtype);
}

}  // namespace minitorch::ops
