#include "autograd/promotion.h"

#include <atomic>

#include "autograd/layout.h"
#include "base/error.h"
#include "base/text.h"

namespace minitorch::autograd {
namespace {

using array::Array;
using array::Dtype;
using ops::Number;

std::atomic<Dtype> default_dtype{Dtype::Float32};

/// bool, integer, float.
int kind_of(Dtype dtype) {
  return dtype == Dtype::Bool ? 0 : is_floating(dtype) ? 2 : 1;
}

/// Unlike NumPy's rules, a float keeps its width beside any integer.
Dtype wider(Dtype a, Dtype b) {
  if (kind_of(a) == kind_of(b)) return array::promote(a, b);
  return kind_of(a) > kind_of(b) ? a : b;
}

/// The dtype of a result: `first` has dimensions, `second` has none.
Dtype beside(Dtype first, Dtype second) {
  return kind_of(second) > kind_of(first) ? wider(first, second) : first;
}

Dtype real(Dtype dtype) { return is_floating(dtype) ? dtype : torch_default_dtype(); }

template <class B>
Dtype computed(const TensorPtr& a, const B& b, bool of_reals) {
  const Dtype dtype = torch_result_type(a->value, b);
  return of_reals ? real(dtype) : dtype;
}

}  // namespace

Dtype torch_default_dtype() { return default_dtype; }

void set_torch_default_dtype(Dtype dtype) {
  if (!is_floating(dtype)) {
    throw base::TypeError("set_default_dtype", base::text("got ", dtype_name(dtype),
                                                          "; need a floating dtype."));
  }
  default_dtype = dtype;
}

Dtype torch_result_type(const Array& a, const Array& b) {
  if ((a.dims() > 0) == (b.dims() > 0)) return wider(a.dtype(), b.dtype());
  return a.dims() > 0 ? beside(a.dtype(), b.dtype()) : beside(b.dtype(), a.dtype());
}

Dtype torch_result_type(const Array& a, const Number& b) {
  if (is_floating(a.dtype()) || b.is_bool) return a.dtype();
  if (!b.is_integer) return torch_default_dtype();
  return a.dtype() == Dtype::Bool ? Dtype::Int64 : a.dtype();
}

bool torch_promotes(const TensorPtr& a, const TensorPtr& b, bool of_reals) {
  if (!speaks_torch(a) && !speaks_torch(b)) return false;
  const Dtype x = a->value.dtype(), y = b->value.dtype();
  return x != y || (of_reals && !is_floating(x));
}

bool torch_promotes(const TensorPtr& a, const Number& b, bool of_reals) {
  if (!speaks_torch(a) || is_floating(a->value.dtype())) return false;
  return of_reals || torch_result_type(a->value, b) != a->value.dtype();
}

bool torch_promotes(const TensorPtr& a, bool of_reals) {
  return of_reals && speaks_torch(a) && !is_floating(a->value.dtype());
}

bool torch_promotes(const std::vector<TensorPtr>& tensors) {
  bool differ = false;
  for (const TensorPtr& each : tensors) {
    differ = differ || torch_promotes(tensors.front(), each);
  }
  return differ;
}

std::pair<TensorPtr, TensorPtr> torch_promoted(const TensorPtr& a, const TensorPtr& b,
                                               bool of_reals) {
  const Dtype dtype = computed(a, b->value, of_reals);
  return {cast(a, dtype), cast(b, dtype)};
}

TensorPtr torch_promoted(const TensorPtr& a, const Number& b, bool of_reals) {
  return cast(a, computed(a, b, of_reals));
}

std::vector<TensorPtr> torch_promoted(const std::vector<TensorPtr>& tensors) {
  Dtype dtype = tensors.front()->value.dtype();
  for (const TensorPtr& each : tensors) dtype = wider(dtype, each->value.dtype());
  std::vector<TensorPtr> out;
  for (const TensorPtr& each : tensors) out.push_back(cast(each, dtype));
  return out;
}

TensorPtr torch_real(const TensorPtr& a) { return cast(a, real(a->value.dtype())); }

}  // namespace minitorch::autograd
