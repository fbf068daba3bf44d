// Owns the reductions on both devices.
#include "ops/reduce.h"

#include <limits>

#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/fold.h"
#include "ops/launch.h"
#include "ops/layout.h"

namespace minitorch::ops {
namespace {

using cpu::Reduce;

const char* name_of(Reduce op) { return op == Reduce::Sum ? "sum" : "max"; }

double start_of(Reduce op, Dtype dtype) {
  if (op == Reduce::Sum) return 0;
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(dtype == Dtype::Int32
                                 ? std::numeric_limits<int32_t>::lowest()
                                 : std::numeric_limits<int64_t>::lowest());
}

FoldKernel kernel_of(Reduce op, Dtype dtype) {
  const char* joined =
      op == Reduce::Sum ? "return a + b;" : "return a > b || a != a ? a : b;";
  return {name_of(op), functor("Scalar a, Scalar b", joined), start_of(op, dtype)};
}

}  // namespace

Array reduce(Reduce op, const Array& a, int64_t dim) {
  const char* where = name_of(op);
  const size_t d = array::normalise_dim(dim, a.dims(), where);
  if (!is_floating(a.dtype()) && size_of(a.dtype()) == 1) {
    return reduce(op, cast(a, Dtype::Int64), dim);
  }
  if (op == Reduce::Max && a.shape()[d] == 0) {
    throw base::ValueError(
        where, base::text("got shape ", base::tuple_text(a.shape()),
                          "; need at least one element along dim ", d, "."));
  }
  Shape shape = a.shape();
  shape[d] = 1;  // (…, n, …) -> (…, 1, …)
  Array out = empty(shape, a.dtype(), a.device());
  if (out.size() == 0) return out;
  if (a.shape()[d] == 0) return full(shape, 0, a.dtype(), a.device());
  if (a.device() == Device::Cuda) {
    fold_on_device(kernel_of(op, a.dtype()), a, d, out);
    return out;
  }
  visit_number(a.dtype(), where, [&](auto type) {
    using T = typename decltype(type)::type;
    cpu::reduce<T>(op, a.shape(), d, host_input<T>(a), out.data<T>());
  });
  return out;
}

Array reduce_all(Reduce op, const Array& a) {
  return reduce(op, reshape(a, Shape{a.size()}), 0);
}

Array sum_to(const Array& a, const Shape& shape) {
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
