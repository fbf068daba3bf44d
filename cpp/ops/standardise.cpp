#include "ops/standardise.h"

#include <algorithm>
#include <bit>

#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

using cpu::Groups;

/// A launch for the arrays of a layer: computed in Scalar, kept as Source.
KernelLaunch launch_of(const char* entry, const Array& x) {
  KernelLaunch launch(entry, computed_in(x.dtype()));
  launch.type("Source", x.dtype());
  launch.reach(x);
  return launch;
}

void add_groups(KernelLaunch& launch, const Groups& shape) {
  for (int64_t size : {shape.outer, shape.groups, shape.inner}) launch.add_index(size);
}

/// One block a group, with as many threads as it has cells, up to kThreads.
void run(KernelLaunch& launch, const Groups& shape) {
  const auto cells = static_cast<uint64_t>(shape.outer * shape.inner);
  const auto threads =
      static_cast<uint32_t>(std::bit_ceil(std::min<uint64_t>(cells, kThreads)));
  launch.line(base::text("constexpr int TILE = ", threads, ";"));
  launch.run({static_cast<uint32_t>(shape.groups)}, {threads});
}

void require_cells(const Array& a, const Layer& layer) {
  const Groups& shape = layer.groups;
  if (shape.outer * shape.groups * shape.inner == a.size() &&
      (a.size() > 0 || shape.groups == 0))
    return;
  throw base::ValueError(layer.where, base::text("got ", base::tuple_text(a.shape()),
                                                 "; need at least one value to take a "
                                                 "mean of."));
}

/// Row-major and of `dtype`, or undefined as it was.
Array part(const Array& a, Dtype dtype) {
  return a.defined() ? contiguous(cast(a, dtype)) : a;
}

template <class T>
cpu::Affine<T> host_affine(const Affine& affine) {
  const T* weight = affine.weight.defined() ? affine.weight.data<T>() : nullptr;
  const T* bias = affine.bias.defined() ? affine.bias.data<T>() : nullptr;
  return {weight, bias, affine.of_cells};
}

Affine ready_affine(const Affine& affine, Dtype dtype) {
  return {part(affine.weight, dtype), part(affine.bias, dtype), affine.of_cells};
}

/// Can a kernel change them where they lie?
bool in_place(const Running& running, Dtype dtype) {
  const auto fits = [&](const Array& a) {
    return a.dtype() == dtype && a.is_contiguous();
  };
  return running.mean.defined() && running.variance.defined() && fits(running.mean) &&
         fits(running.variance);
}

void require_memory(const Array& a, const char* where) {
  if (!a.defined() || !(a.storage()->read_only() || a.may_overlap_itself())) return;
  throw base::ValueError(where,
                         "got a running mean or variance whose memory is read-only or "
                         "that is expanded; need memory of its own. Try .clone().");
}

double unbiased(const Groups& shape) {
  const auto cells = static_cast<double>(shape.outer * shape.inner);
  return cells / (cells - 1);
}

/// running = (1 - momentum) * running + momentum * batch's
void move_towards(const Array& running, const Array& batch, double momentum) {
  if (!running.defined()) return;
  const Array kept = binary(cpu::Binary::Mul, running, Number{1 - momentum});
  const Array added = binary(cpu::Binary::Mul, batch, Number{momentum});
  copy_into(binary(cpu::Binary::Add, kept, added), running);
}

void standardise_on_device(const Array& x, const Layer& layer, const Affine& affine,
                           const Running& running, const Standardised& out) {
  KernelLaunch launch = launch_of("standardise", x);
  const bool moves = running.mean.defined();
  launch.flag("WEIGHT", affine.weight.defined());
  launch.flag("BIAS", affine.bias.defined());
  launch.flag("AFFINE_OF_CELLS", affine.of_cells);
  launch.flag("RUNNING", moves);
  for (const Array* array : {&out.y, &out.mean, &out.variance, &out.scale, &x})
    launch.add(*array);
  for (const Array* array :
       {&affine.weight, &affine.bias, &running.mean, &running.variance})
    launch.add_optional(*array);
  add_groups(launch, layer.groups);
  launch.add_scalar(layer.epsilon);
  launch.add_scalar(running.momentum);
  launch.add_scalar(1 - running.momentum);
  launch.add_scalar(moves ? unbiased(layer.groups) : 1.0);
  run(launch, layer.groups);
}

}  // namespace

Standardised standardise(const Array& a, const Layer& layer, const Affine& affine,
                         const Running& running) {
  const runtime::OpScope scope("standardise", {&a});
  require_cells(a, layer);
  require_memory(running.mean, layer.where);
  require_memory(running.variance, layer.where);
  const bool cuda = a.device() == Device::Cuda;
  const Dtype real = computed_in(a.dtype()), dtype = result_dtype(a.dtype());
  const Dtype held = cuda ? dtype : real;
  const Array x = contiguous(cast(a, held));
  const Affine follows = ready_affine(affine, held);
  Standardised out{empty(a.shape(), held, a.device())};
  for (Array* each : {&out.mean, &out.variance, &out.scale})
    *each = empty(Shape{layer.groups.groups}, real, a.device());
  const bool together = cuda && out.y.size() > 0 && in_place(running, held);
  if (out.y.size() > 0 && cuda) {
    standardise_on_device(x, layer, follows, together ? running : Running{}, out);
  } else if (out.y.size() > 0) {
    visit_real(real, layer.where, [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::standardise<T>(layer.groups, layer.epsilon, x.data<T>(),
                          host_affine<T>(follows), out.y.data<T>(), out.mean.data<T>(),
                          out.variance.data<T>(), out.scale.data<T>());
    });
  }
  if (!together && running.mean.defined())
    move_towards(running.mean, out.mean, running.momentum);
  if (!together && running.variance.defined()) {
    const Array spread =
        binary(cpu::Binary::Mul, out.variance, Number{unbiased(layer.groups)});
    move_towards(running.variance, spread, running.momentum);
  }
  for (const Array* each : {&running.mean, &running.variance})
    if (each->defined()) each->storage()->mark_changed();
  out.y = cast(out.y, dtype);
  return out;
}

Array normalise(const Array& a, const Array& mean, const Array& variance,
                const Layer& layer, const Affine& affine) {
  const runtime::OpScope scope("normalise", {&a});
  constexpr int64_t kCellsPerThread = 8, kMostParts = 65535;
  const Groups& shape = layer.groups;
  const bool cuda = a.device() == Device::Cuda;
  const Dtype real = computed_in(a.dtype()), dtype = result_dtype(a.dtype());
  const Dtype held = cuda ? dtype : real;
  const Array x = contiguous(cast(a, held));
  const Array middle = part(mean, held), spread = part(variance, held);
  const Affine follows = ready_affine(affine, held);
  const Array y = empty(a.shape(), held, a.device());
  if (y.size() == 0) return cast(y, dtype);
  if (!cuda) {
    visit_real(real, layer.where, [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::normalise<T>(shape, layer.epsilon, x.data<T>(), middle.data<T>(),
                        spread.data<T>(), host_affine<T>(follows), y.data<T>());
    });
    return cast(y, dtype);
  }
  KernelLaunch launch = launch_of("normalise", x);
  launch.flag("WEIGHT", affine.weight.defined());
  launch.flag("BIAS", affine.bias.defined());
  for (const Array* array : {&y, &x, &middle, &spread}) launch.add(*array);
  launch.add_optional(follows.weight);
  launch.add_optional(follows.bias);
  add_groups(launch, shape);
  launch.add_scalar(layer.epsilon);
  const int64_t share = int64_t{kThreads} * kCellsPerThread;
  const int64_t parts = (shape.outer * shape.inner + share - 1) / share;
  launch.run({static_cast<uint32_t>(shape.groups),
              static_cast<uint32_t>(std::min(parts, kMostParts))},
             {kThreads});
  return y;
}

namespace {

void grad_on_device(const Array& g, const Array& x, const Array& mean,
                    const Array& scale, const Layer& layer, const Affine& affine,
                    const StandardisedGrads& out) {
  const bool sums = out.weight.defined();
  KernelLaunch launch = launch_of("standardise_grad", x);
  launch.flag("WEIGHT", affine.weight.defined());
  launch.flag("AFFINE_OF_CELLS", affine.of_cells);
  launch.flag("SUMS", sums && !affine.of_cells);
  launch.add(out.x);
  launch.add_optional(out.weight);
  launch.add_optional(out.bias);
  for (const Array* array : {&g, &x, &mean, &scale}) launch.add(*array);
  launch.add_optional(affine.weight);
  add_groups(launch, layer.groups);
  run(launch, layer.groups);
  if (!sums || !affine.of_cells) return;
  KernelLaunch over_groups = launch_of("standardise_grad_weight", x);
  for (const Array* array : {&out.weight, &out.bias, &g, &x, &mean, &scale})
    over_groups.add(*array);
  over_groups.add_index(layer.groups.groups);
  over_groups.add_index(layer.groups.inner);
  const auto cells = static_cast<uint64_t>(layer.groups.inner);
  over_groups.run({static_cast<uint32_t>((cells + kThreads - 1) / kThreads)},
                  {kThreads});
}

}  // namespace

StandardisedGrads standardise_grad(const Array& gradient, const Array& a,
                                   const Array& mean, const Array& scale,
                                   const Layer& layer, const Affine& affine,
                                   bool of_parameters) {
  const runtime::OpScope scope("standardise_grad", {&gradient, &a});
  const bool cuda = a.device() == Device::Cuda;
  const Dtype real = mean.dtype(), held = cuda ? result_dtype(a.dtype()) : real;
  const Array g = contiguous(cast(gradient, held)), x = contiguous(cast(a, held));
  const Affine follows = ready_affine(affine, held);
  const Groups& s = layer.groups;
  StandardisedGrads out{empty(a.shape(), held, a.device())};
  if (of_parameters) {
    const Shape cells{affine.of_cells ? s.inner : s.groups};
    const auto room = [&] {  // which nobody writes where x is empty
      return x.size() > 0 ? empty(cells, held, a.device())
                          : full(cells, 0, held, a.device());
    };
    out.weight = room();
    out.bias = room();
  }
  if (x.size() > 0 && cuda) {
    grad_on_device(g, x, mean, scale, layer, follows, out);
  } else if (x.size() > 0) {
    visit_real(real, layer.where, [&](auto type) {
      using T = typename decltype(type)::type;
      const bool of_groups = of_parameters && !affine.of_cells;
      cpu::standardise_grad<T>(s, g.data<T>(), x.data<T>(), mean.data<T>(),
                               scale.data<T>(), host_affine<T>(follows),
                               out.x.data<T>(),
                               of_groups ? out.weight.data<T>() : nullptr,
                               of_groups ? out.bias.data<T>() : nullptr);
      if (!of_parameters || of_groups) return;
      cpu::standardise_grad_weight<T>(s, g.data<T>(), x.data<T>(), mean.data<T>(),
                                      scale.data<T>(), out.weight.data<T>(),
                                      out.bias.data<T>());
    });
  }
  for (Array* each : {&out.x, &out.weight, &out.bias})
    if (each->defined()) *each = cast(*each, gradient.dtype());
  return out;
}

}  // namespace minitorch::ops
