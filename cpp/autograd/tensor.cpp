#include "autograd/tensor.h"

#include "base/error.h"
#include "base/text.h"

namespace minitorch::autograd {

TensorPtr make_tensor(array::Array value, bool requires_grad) {
  return std::make_shared<Tensor>(std::move(value), requires_grad);
}

TensorPtr detach(const TensorPtr& a) {
  auto out = make_tensor(a->value);
  out->backend = a->backend;
  out->dialect = a->dialect;
  return out;
}

void set_requires_grad(const TensorPtr& a, bool requires_grad) {
  if (!a->is_leaf()) {
    throw base::StateError("requires_grad_",
                           "got a tensor that an op made; need a leaf. Try .detach().");
  }
  if (requires_grad && !is_floating(a->value.dtype())) {
    throw base::TypeError("requires_grad_",
                          base::text("got ", dtype_name(a->value.dtype()),
                                     "; need a floating dtype. Try .to(\"float32\")."));
  }
  a->requires_grad = requires_grad;
  if (requires_grad) a->base.reset();  // a leaf of its own, whatever memory it shows
}

void assign(const TensorPtr& a, const array::Array& value) {
  const array::Array& old = a->value;
  if (value.shape() != old.shape() || value.dtype() != old.dtype()) {
    throw base::ValueError(
        "assign",
        base::text("got ", dtype_name(value.dtype()), " of shape ",
                   base::tuple_text(value.shape()), "; need ", dtype_name(old.dtype()),
                   " of shape ", base::tuple_text(old.shape()), "."));
  }
  a->value = value;
}

void set_data(const TensorPtr& a, const array::Array& value) {
  if (!a->is_leaf()) {
    throw base::StateError("data",
                           "got a tensor that an op made; need a leaf. Try .detach().");
  }
  if (a->requires_grad && !is_floating(value.dtype())) {
    throw base::TypeError("data", base::text("got ", dtype_name(value.dtype()),
                                             " for a tensor that requires a gradient; "
                                             "need a floating dtype."));
  }
  a->value = value;
  a->base.reset();  // it shows no other tensor's memory any more
}

}  // namespace minitorch::autograd
