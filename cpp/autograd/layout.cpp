#include "autograd/layout.h"

#include "autograd/node.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/create.h"
#include "ops/layout.h"
#include "ops/reduce.h"
#include "ops/transfer.h"
#include "runtime/recorder.h"

namespace minitorch::autograd {

using ops::Number;

namespace {

/// The gradient of `slice`: zeros of `shape` with `g` in the place of the slice.
TensorPtr unslice(const TensorPtr& g, const array::Shape& shape, int64_t dim,
                  int64_t start, int64_t stop, int64_t step) {
  const runtime::OpScope scope("unslice", {&g->value});
  array::Array out = ops::full(shape, Number{0}, g->value.dtype(), g->value.device());
  ops::copy_into(g->value, out.slice(static_cast<size_t>(dim), start, stop, step));
  return record("unslice", out, {g}, [&] {
    return [=](const TensorPtr& gg, Node&) {
      return Gradients{slice(gg, dim, start, stop, step)};
    };
  });
}

template <class Make>
TensorPtr reshaped(const char* name, const TensorPtr& a, Make&& make) {
  return record(name, make(), {a}, [&] {
    return [shape = a->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{reshape(g, shape)};
    };
  });
}

}  // namespace

TensorPtr permute(const TensorPtr& a, const array::Dims& order) {
  const runtime::OpScope scope("permute", {&a->value});
  return record("permute", a->value.permute(order), {a}, [&] {
    array::Dims inverse(order.size(), 0);
    for (size_t i = 0; i < order.size(); ++i) {
      inverse[array::normalise_dim(order[i], order.size(), "permute")] =
          static_cast<int64_t>(i);
    }
    return
        [inverse](const TensorPtr& g, Node&) { return Gradients{permute(g, inverse)}; };
  });
}

TensorPtr reshape(const TensorPtr& a, const array::Shape& shape) {
  const runtime::OpScope scope("reshape", {&a->value});
  return reshaped("reshape", a, [&] { return ops::reshape(a->value, shape); });
}

bool can_view(const TensorPtr& a, const array::Shape& shape) {
  const array::Shape known = array::infer_shape(shape, a->value.size(), "view");
  return a->value.reshape(known).has_value();
}

TensorPtr squeeze(const TensorPtr& a, int64_t dim) {
  const runtime::OpScope scope("squeeze", {&a->value});
  const size_t d = array::normalise_dim(dim, a->value.dims(), "squeeze");
  if (a->value.shape()[d] != 1) {
    throw base::ValueError("squeeze",
                           base::text("got dim ", dim, " of size ", a->value.shape()[d],
                                      "; need size 1."));
  }
  return reshaped("squeeze", a, [&] { return a->value.squeeze(d); });
}

TensorPtr unsqueeze(const TensorPtr& a, int64_t dim) {
  const runtime::OpScope scope("unsqueeze", {&a->value});
  const size_t d = array::normalise_dim(dim, a->value.dims() + 1, "unsqueeze");
  return reshaped("unsqueeze", a, [&] { return a->value.unsqueeze(d); });
}

TensorPtr expand(const TensorPtr& a, const array::Shape& shape) {
  const runtime::OpScope scope("expand", {&a->value});
  return record("expand", a->value.expand(shape), {a}, [&] {
    return [from = a->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{sum_to(g, from)};
    };
  });
}

TensorPtr slice(const TensorPtr& a, int64_t dim, int64_t start, int64_t stop,
                int64_t step) {
  const runtime::OpScope scope("slice", {&a->value});
  const size_t d = array::normalise_dim(dim, a->value.dims(), "slice");
  return record("slice", a->value.slice(d, start, stop, step), {a}, [&] {
    return [=, shape = a->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{unslice(g, shape, static_cast<int64_t>(d), start, stop, step)};
    };
  });
}

TensorPtr contiguous(const TensorPtr& a) {
  if (a->value.is_contiguous()) return a;
  const runtime::OpScope scope("contiguous", {&a->value});
  return record("contiguous", ops::contiguous(a->value), {a},
                [&] { return [](const TensorPtr& g, Node&) { return Gradients{g}; }; });
}

TensorPtr clone(const TensorPtr& a) {
  const runtime::OpScope scope("clone", {&a->value});
  return record("clone", ops::copy(a->value), {a},
                [&] { return [](const TensorPtr& g, Node&) { return Gradients{g}; }; });
}

TensorPtr cast(const TensorPtr& a, array::Dtype dtype) {
  if (a->value.dtype() == dtype) return a;
  const runtime::OpScope scope("cast", {&a->value});
  if (!is_floating(dtype)) return without_node(ops::cast(a->value, dtype), {a});
  return record("cast", ops::cast(a->value, dtype), {a}, [&] {
    return [from = a->value.dtype()](const TensorPtr& g, Node&) {
      return Gradients{cast(g, from)};
    };
  });
}

TensorPtr to_device(const TensorPtr& a, array::Device device) {
  if (a->value.device() == device) return a;
  const runtime::OpScope scope("to_device", {&a->value});
  return record("to_device", ops::to_device(a->value, device), {a}, [&] {
    return [from = a->value.device()](const TensorPtr& g, Node&) {
      return Gradients{to_device(g, from)};
    };
  });
}

TensorPtr sum_to(const TensorPtr& a, const array::Shape& shape) {
  if (a->value.shape() == shape) return a;
  const runtime::OpScope scope("sum_to", {&a->value});
  return record("sum_to", ops::sum_to(a->value, shape), {a}, [&] {
    return [from = a->value.shape()](const TensorPtr& g, Node&) {
      return Gradients{expand(g, from)};
    };
  });
}

TensorPtr in_dialect(const TensorPtr& a, Dialect dialect) {
  if (a->dialect == dialect) return a;
  const char* name = dialect == Dialect::Torch ? "as_torch" : "as_minitorch";
  const runtime::OpScope scope(name, {&a->value});
  const TensorPtr out = record(name, a->value, {a}, [&] {
    return [from = a->dialect](const TensorPtr& g, Node&) {
      return Gradients{in_dialect(g, from)};
    };
  });
  out->dialect = dialect;
  out->backend = nullptr;  // its rules are written for one dialect
  return out;
}

}  // namespace minitorch::autograd
