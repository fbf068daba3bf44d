#include "ops/descent.h"

#include "base/error.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

constexpr const char* kNotFused = "--fmad=false";  // rounded as the host rounds

void require_state(const char* where, const Array& value, const Array& state) {
  if (state.shape() == value.shape() && state.dtype() == value.dtype() &&
      state.device() == value.device())
    return;
  throw base::ValueError(
      where, base::text("got a parameter of ", base::tuple_text(value.shape()), " ",
                        dtype_name(value.dtype()), " on ", device_name(value.device()),
                        " and a gradient or state of ", base::tuple_text(state.shape()),
                        " ", dtype_name(state.dtype()), " on ",
                        device_name(state.device()), "; need the same."));
}

void require_changeable(const char* where, const Array& value) {
  if (!is_floating(value.dtype())) refuse_dtype(where, value.dtype(), "a float");
  if (!value.storage()->read_only() && !value.may_overlap_itself()) return;
  throw base::ValueError(where,
                         "got a parameter whose memory is read-only or shared among "
                         "its elements; need memory of its own. Try .clone().");
}

/// Arrays that a step changes, as its loop wants them: row-major, on the host in the
/// dtype that is computed in. What had to be copied goes back at the end.
class Changed {
 public:
  Changed(const Array& a, Dtype wanted)
      : whole_(a), cells_(a.defined() ? contiguous(cast(a, wanted)) : a) {}
  const Array& cells() const { return cells_; }
  template <class T>
  T* data() const {
    return cells_.defined() ? cells_.data<T>() : nullptr;
  }
  void finish() const {
    if (!whole_.defined()) return;
    if (cells_.storage() != whole_.storage()) copy_into(cells_, whole_);
    whole_.storage()->mark_changed();
  }

 private:
  Array whole_, cells_;
};

Dtype held_in(const Array& value) {
  return value.device() == Device::Cuda ? value.dtype() : computed_in(value.dtype());
}

/// Counts a step of `value` where it lies.
void count_step(const Array& counted, const Array& value) {
  if (value.device() != Device::Cuda || counted.device() != Device::Cuda ||
      counted.dtype() != Dtype::Float32 || counted.size() != 1) {
    throw base::ValueError(
        "Adam",
        base::text("got capturable=True with a parameter on ",
                   device_name(value.device()), " and a count of ",
                   dtype_name(counted.dtype()), " on ", device_name(counted.device()),
                   "; need both on cuda, and one float32."));
  }
  binary_in_place(cpu::Binary::Add, counted, Number{1});
  counted.storage()->mark_changed();
}

KernelLaunch step_of(const char* entry, const Array& value, bool decays) {
  KernelLaunch launch(entry, computed_in(value.dtype()));
  launch.option(kNotFused);
  launch.type("Source", value.dtype());
  launch.flag("DECAY", decays);
  launch.walk(value.shape(), {&value});
  return launch;
}

}  // namespace

void sgd_step(const cpu::Sgd& how, bool first, const Array& value,
              const Array& gradient, const Array& moving) {
  const runtime::OpScope scope("sgd_step", {&value, &gradient});
  require_changeable("SGD", value);
  require_state("SGD", value, gradient);
  if (moving.defined()) require_state("SGD", value, moving);
  if (value.size() == 0) return;
  const Dtype held = held_in(value);
  const Array g = contiguous(cast(gradient, held));
  const Changed to(value, held), last(moving, held);
  if (value.device() == Device::Cuda) {
    KernelLaunch launch = step_of("sgd", to.cells(), how.weight_decay != 0);
    launch.flag("MOMENTUM", moving.defined());
    launch.flag("FIRST", first);
    launch.flag("NESTEROV", how.nesterov);
    launch.add(to.cells());
    launch.add(g);
    launch.add_optional(last.cells());
    for (const double number :
         {how.rate, how.momentum, 1 - how.dampening, how.weight_decay})
      launch.add_scalar(number);
    launch.add_index(value.size());
    launch.run_elementwise();
  } else {
    visit_real(held, "SGD", [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::sgd<T>(how, first, g.data<T>(), to.data<T>(), last.data<T>(), value.size());
    });
  }
  to.finish();
  last.finish();
}

void adam_step(const cpu::Adam& how, int64_t step, const Array& counted,
               const Array& value, const Array& gradient, const Array& mean,
               const Array& square) {
  const runtime::OpScope scope("adam_step", {&value, &gradient});
  require_changeable("Adam", value);
  for (const Array* each : {&gradient, &mean, &square})
    require_state("Adam", value, *each);
  if (counted.defined()) count_step(counted, value);
  if (value.size() == 0) return;
  const Dtype held = held_in(value);
  const Array g = contiguous(cast(gradient, held));
  const Changed to(value, held), first(mean, held), second(square, held);
  if (value.device() == Device::Cuda) {
    KernelLaunch launch = step_of("adam", to.cells(), how.weight_decay != 0);
    launch.flag("DECOUPLED", how.decoupled);
    launch.flag("COUNTED", counted.defined());
    for (const Array* array : {&to.cells(), &g, &first.cells(), &second.cells()})
      launch.add(*array);
    launch.add_optional(counted);
    launch.add_value(step);
    for (const double number :
         {how.rate, how.b1, how.b2, how.epsilon, how.weight_decay})
      launch.add_value(number);
    launch.add_index(value.size());
    launch.run_elementwise();
  } else {
    visit_real(held, "Adam", [&](auto type) {
      using T = typename decltype(type)::type;
      cpu::adam<T>(how, step, g.data<T>(), to.data<T>(), first.data<T>(),
                   second.data<T>(), value.size());
    });
  }
  for (const Changed* each : {&to, &first, &second}) each->finish();
}

}  // namespace minitorch::ops
