#include "ops/reduce.h"

#include <limits>

#include "base/enumerators.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/fold.h"
#include "ops/launch.h"
#include "ops/layout.h"
#include "ops/widen.h"
#include "runtime/recorder.h"

namespace minitorch::ops {
namespace {

using cpu::Reduce;

struct ReduceRow {
  Reduce op;
  const char* name;
  const char* code;  // body of the kernel's functor of Scalar a, b
};

constexpr ReduceRow kReduceRows[] = {
    {Reduce::Sum, "sum", "return a + b;"},
    {Reduce::Max, "max", "return a > b || a != a ? a : b;"},
    {Reduce::Min, "min", "return a < b || a != a ? a : b;"},
    {Reduce::Prod, "prod", "return a * b;"},
};

static_assert(base::rows_follow_enumerators<kReduceRows>([](const ReduceRow& row) {
  return row.op;
}));

const ReduceRow& row_of(Reduce op) { return kReduceRows[static_cast<size_t>(op)]; }

template <class T>
Number least() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

template <class T>
Number most() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::max();
}

/// What leaves every element as it is.
Number start_of(Reduce op, Dtype dtype) {
  if (op == Reduce::Sum) return 0;
  if (op == Reduce::Prod) return 1;
  return visit_number(dtype, row_of(op).name, [op](auto type) {
    using T = typename decltype(type)::type;
    return op == Reduce::Max ? least<T>() : most<T>();
  });
}

/// Sums and products of short integers are int64, as in NumPy.
bool needs_int64(Reduce op, Dtype dtype) {
  return (op == Reduce::Sum || op == Reduce::Prod) && !is_floating(dtype) &&
         dtype != Dtype::Int64;
}

void require_elements(Reduce op, const Array& a, size_t dim) {
  if (op == Reduce::Sum || op == Reduce::Prod || a.shape()[dim] > 0) return;
  throw base::ValueError(
      row_of(op).name, base::text("got shape ", base::tuple_text(a.shape()),
                                  "; need at least one element along dim ", dim, "."));
}

}  // namespace

Array reduce(Reduce op, const Array& a, int64_t dim) {
  const runtime::OpScope scope(row_of(op).name, {&a});
  const size_t d = array::normalise_dim(dim, a.dims(), row_of(op).name);
  require_elements(op, a, d);
  if (is_half(a.dtype())) {
    return in_float32(a, [&](const Array& wide) { return reduce(op, wide, dim); });
  }
  if (needs_int64(op, a.dtype())) return reduce(op, cast(a, Dtype::Int64), dim);
  if (a.dtype() == Dtype::Bool) {
    return reduce(op, a.as_dtype(Dtype::UInt8), dim).as_dtype(Dtype::Bool);
  }
  Shape shape = a.shape();
  shape[d] = 1;  // (…, n, …) -> (…, 1, …)
  if (a.shape()[d] == 0)
    return full(shape, start_of(op, a.dtype()), a.dtype(), a.device());
  Array out = empty(shape, a.dtype(), a.device());
  if (out.size() == 0) return out;
  if (a.device() == Device::Cuda) {
    const std::string function = functor("Scalar a, Scalar b", row_of(op).code);
    fold_on_device({function, start_of(op, a.dtype())}, a, d, out);
    return out;
  }
  visit_number(a.dtype(), row_of(op).name, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::reduce<T>(op, a.shape(), d, host_input<T>(a), out.data<T>());
  });
  return out;
}

Array reduce_all(Reduce op, const Array& a) {
  const runtime::OpScope scope(row_of(op).name, {&a});
  return reduce(op, reshape(a, Shape{a.size()}), 0);
}

Array sum_to(const Array& a, const Shape& shape) {
  const runtime::OpScope scope("sum_to", {&a});
  Array out = a;
  const size_t added = a.dims() - shape.size();
  for (size_t d = 0; d < a.dims(); ++d) {
    const int64_t wanted = d < added ? 1 : shape[d - added];
    if (out.shape()[d] != wanted)
      out = reduce(Reduce::Sum, out, static_cast<int64_t>(d));
  }
  return added ? reshape(out, shape) : out;
}

}  // namespace minitorch::ops
