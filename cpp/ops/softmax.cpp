// Owns log-softmax and one-hot on both devices.
#include "ops/softmax.h"

#include <cmath>

#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/layout.h"
#include "ops/reduce.h"
#include "ops/transfer.h"
#include "runtime/recorder.h"

namespace minitorch::ops {

using cpu::Binary;
using cpu::Reduce;
using cpu::Unary;

namespace {

void require_label(double label, int64_t at, int64_t classes, const char* where) {
  if (std::trunc(label) != label) {  // NaN too
    throw base::ValueError(
        where, base::text("got label ", label, " at index ", at,
                          "; need whole numbers from 0 to ", classes - 1, "."));
  }
  if (label >= 0 && label < static_cast<double>(classes)) return;
  throw base::IndexError(where, base::text("got label ", label, " at index ", at,
                                           "; need 0 to ", classes - 1, "."));
}

}  // namespace

Array log_softmax(const Array& a, int64_t dim) {
  const runtime::OpScope scope("log_softmax", {&a});
  const size_t d = array::normalise_dim(dim, a.dims(), "log_softmax");
  if (a.shape()[d] == 0) return copy(a);
  const Array shifted = binary(Binary::Sub, a, reduce(Reduce::Max, a, dim));
  const Array total = reduce(Reduce::Sum, unary(Unary::Exp, shifted), dim);
  return binary(Binary::Sub, shifted, unary(Unary::Log, total));
}

Array one_hot(const Array& labels, int64_t classes, Dtype dtype, const char* where) {
  const runtime::OpScope scope("one_hot", {&labels});
  if (labels.dims() != 1) {
    throw base::ValueError(
        where, base::text("got labels of shape ", base::tuple_text(labels.shape()),
                          "; need one dimension (n,)."));
  }
  const Array given = contiguous(to_device(labels, Device::Cpu));
  visit_stored(given.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    for (int64_t i = 0; i < given.size(); ++i) {
      require_label(given.data<T>()[i], i, classes, where);
    }
  });
  const Array known = cast(given, Dtype::Int64);
  const int64_t* label = known.data<int64_t>();
  Array out = full(Shape{known.size(), classes}, Number{0}, dtype, Device::Cpu);
  visit_stored(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    for (int64_t i = 0; i < known.size(); ++i)
      out.data<T>()[i * classes + label[i]] = T(1);
  });
  return to_device(out, labels.device());
}

}  // namespace minitorch::ops
