#include "ops/cross_entropy.h"

#include <algorithm>
#include <bit>

#include "cpu/cross_entropy.h"
#include "ops/check.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/softmax.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

using cpu::Lines;

/// The dimension of the classes.
size_t class_dim(const Array& scores) { return scores.dims() > 1 ? 1 : 0; }

void require_labels(const Array& scores, const ClassTargets& targets,
                    const char* where) {
  const size_t d = class_dim(scores);
  const Shape& labels = targets.labels.shape();
  bool fits = scores.dims() == labels.size() + 1 && scores.shape()[d] > 0;
  for (size_t i = 0; fits && i < labels.size(); ++i)
    fits = labels[i] == scores.shape()[i < d ? i : i + 1];
  const Array& weight = targets.weight;
  fits = fits && (!weight.defined() || (weight.shape() == Shape{scores.shape()[d]} &&
                                        weight.dtype() == scores.dtype()));
  if (fits) return;
  throw base::ValueError(
      where, base::text("got scores of shape ", base::tuple_text(scores.shape()),
                        " and labels of shape ", base::tuple_text(labels),
                        "; need (n, classes, ...) and (n, ...), with at least one "
                        "class, and a weight of (classes,)."));
}

uint32_t threads_for(int64_t cells, uint32_t most) {
  const auto wanted = static_cast<uint64_t>(std::max<int64_t>(cells, 1));
  return static_cast<uint32_t>(std::bit_ceil(std::min<uint64_t>(wanted, most)));
}

KernelLaunch launch_of(const char* entry, const Array& x, const ClassTargets& targets) {
  KernelLaunch launch(entry, computed_in(x.dtype()));
  launch.type("Source", x.dtype());
  launch.type("Label", targets.labels.dtype());
  launch.flag("WEIGHT", targets.weight.defined());
  launch.flag("SMOOTH", targets.smoothing != 0);
  launch.reach(x);
  return launch;
}

void run_lines(KernelLaunch& launch, const Lines& lines) {
  const uint32_t threads = threads_for(lines.length, kThreads);
  launch.line(base::text("constexpr int TILE = ", threads, ";"));
  launch.run({static_cast<uint32_t>(lines.count())}, {threads});
}

/// Sums of losses and shares in one block, and the loss that they make.
void reduce_on_device(const ClassTargets& targets, const Array& losses,
                      const CrossEntropy& out) {
  constexpr uint32_t kWidest = 1024;
  KernelLaunch launch("cross_entropy_total", losses.dtype());
  launch.type("Source", out.loss.dtype());
  launch.flag("MEAN", targets.reduction == Reduction::Mean);
  launch.reach(losses);
  const uint32_t threads = threads_for(losses.size(), kWidest);
  launch.line(base::text("constexpr int TILE = ", threads, ";"));
  for (const Array* each : {&out.loss, &out.total, &losses, &out.share})
    launch.add(*each);
  launch.add_index(losses.size());
  launch.run({1}, {threads});
}

void loss_on_device(const Array& x, const ClassTargets& targets, const Lines& lines,
                    const char* where, const CrossEntropy& out) {
  const Dtype real = computed_in(x.dtype());
  const bool each = targets.reduction == Reduction::None;
  const Array losses =
      each ? out.loss : empty(targets.labels.shape(), real, x.device());
  if (lines.count() > 0) {
    KernelLaunch launch = launch_of("cross_entropy", x, targets);
    launch.type("Result", losses.dtype());
    for (const Array* array :
         {&losses, &out.share, &out.largest, &out.logarithm, &x, &targets.labels})
      launch.add(*array);
    launch.add_optional(targets.weight);
    launch.add_index(lines.length);
    launch.add_index(lines.inner);
    launch.add_value(targets.ignored);
    launch.add_scalar(targets.smoothing);
    add_label_note(launch, where);
    run_lines(launch, lines);
  }
  if (!each) reduce_on_device(targets, losses, out);
}

template <class T>
cpu::ClassScores<T> host_scores(const Array& x, const ClassTargets& targets,
                                const Array& weight, const Lines& lines) {
  return {lines,
          x.data<T>(),
          targets.labels.data<int64_t>(),
          weight.defined() ? weight.data<T>() : nullptr,
          targets.ignored,
          targets.smoothing};
}

template <class T>
void loss_on_host(const Array& x, const ClassTargets& targets, const Array& weight,
                  const Lines& lines, const CrossEntropy& out) {
  const bool each = targets.reduction == Reduction::None;
  const Array losses =
      each ? out.loss : empty(targets.labels.shape(), x.dtype(), Device::Cpu);
  T *loss = losses.data<T>(), *share = out.share.data<T>();
  cpu::cross_entropy<T>(host_scores<T>(x, targets, weight, lines),
                        {loss, share, out.largest.data<T>(), out.logarithm.data<T>()});
  if (each) return;
  double sum = 0, total = 0;
  for (int64_t i = 0; i < losses.size(); ++i) {
    sum += loss[i];
    total += share[i];
  }
  *out.total.data<T>() = static_cast<T>(total);
  *out.loss.data<T>() =
      static_cast<T>(targets.reduction == Reduction::Mean ? sum / total : sum);
}

/// Labels as loops and kernels read them: row-major, on the host as int64.
ClassTargets ready_targets(ClassTargets targets, bool cuda) {
  targets.labels =
      contiguous(cuda ? targets.labels : cast(targets.labels, Dtype::Int64));
  if (targets.weight.defined()) targets.weight = contiguous(targets.weight);
  return targets;
}

/// The weight on the host in the dtype that is computed in.
Array host_weight(const ClassTargets& targets) {
  const Array& weight = targets.weight;
  return weight.defined() ? cast(weight, computed_in(weight.dtype())) : weight;
}

}  // namespace

CrossEntropy cross_entropy(const Array& scores, const ClassTargets& given,
                           const char* where) {
  const runtime::OpScope scope("cross_entropy", {&scores, &given.labels});
  require_labels(scores, given, where);
  const bool cuda = scores.device() == Device::Cuda;
  const Dtype real = computed_in(scores.dtype()), held = cuda ? scores.dtype() : real;
  const Array x = contiguous(cast(scores, held));
  const ClassTargets targets = ready_targets(given, cuda);
  const Lines lines = lines_along(x.shape(), class_dim(x));
  const bool each = targets.reduction == Reduction::None;
  const Shape& shape = targets.labels.shape();
  CrossEntropy out{empty(each ? shape : Shape{}, held, x.device())};
  for (Array* part : {&out.share, &out.largest, &out.logarithm})
    *part = empty(shape, real, x.device());
  out.total = empty(Shape{1}, real, x.device());
  if (cuda) {
    loss_on_device(x, targets, lines, where, out);
    return out;
  }
  checked_numbers(Numbers::PlainLabel, targets.labels, lines.length, where,
                  targets.ignored);
  visit_real(real, where, [&](auto type) {
    using T = typename decltype(type)::type;
    loss_on_host<T>(x, targets, host_weight(targets), lines, out);
  });
  out.loss = cast(out.loss, scores.dtype());
  return out;
}

Array cross_entropy_grad(const Array& gradient, const Array& scores,
                         const ClassTargets& given, const CrossEntropy& found) {
  const runtime::OpScope scope("cross_entropy_grad", {&gradient, &scores});
  const bool cuda = scores.device() == Device::Cuda;
  const Dtype real = found.share.dtype(), held = cuda ? scores.dtype() : real;
  const Array x = contiguous(cast(scores, held)), g = contiguous(cast(gradient, held));
  const ClassTargets targets = ready_targets(given, cuda);
  const Lines lines = lines_along(x.shape(), class_dim(x));
  const Array out = empty(x.shape(), held, x.device());
  if (out.size() == 0) return cast(out, scores.dtype());
  const bool mean = targets.reduction == Reduction::Mean;
  const bool each = targets.reduction == Reduction::None;
  if (cuda) {
    KernelLaunch launch = launch_of("cross_entropy_grad", x, targets);
    launch.flag("MEAN", mean);
    launch.flag("EACH", each);
    for (const Array* array : {&out, &g, &found.total, &found.largest, &found.logarithm,
                               &x, &targets.labels})
      launch.add(*array);
    launch.add_optional(targets.weight);
    launch.add_index(lines.length);
    launch.add_index(lines.inner);
    launch.add_value(targets.ignored);
    launch.add_scalar(targets.smoothing);
    run_lines(launch, lines);
    return out;
  }
  visit_real(real, "cross_entropy", [&](auto type) {
    using T = typename decltype(type)::type;
    Array spread = g;
    if (!each) {
      const T one = *g.data<T>(), total = *found.total.data<T>();
      spread = full(targets.labels.shape(),
                    static_cast<double>(mean ? one / total : one), real, Device::Cpu);
    }
    const cpu::ClassLoss<const T> parts{nullptr, nullptr, found.largest.data<T>(),
                                        found.logarithm.data<T>()};
    cpu::cross_entropy_grad<T>(host_scores<T>(x, targets, host_weight(targets), lines),
                               parts, spread.data<T>(), out.data<T>());
  });
  return cast(out, scores.dtype());
}

}  // namespace minitorch::ops
