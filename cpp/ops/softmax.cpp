// Owns log-softmax and one-hot on both devices.
#include "ops/softmax.h"

#include "ops/check.h"
#include "ops/create.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/layout.h"
#include "ops/reduce.h"
#include "runtime/recorder.h"

namespace minitorch::ops {

using cpu::Binary;
using cpu::Reduce;
using cpu::Unary;

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
  const Array known = checked_numbers(Numbers::Label, labels, classes, where);
  const Array across = arange(0, 1, classes, Dtype::Int64, labels.device());
  const Array hit = compare(cpu::Compare::Equal, known.unsqueeze(1), across);
  return cast(hit, dtype);  // (n, 1) == (classes,) -> (n, classes)
}

}  // namespace minitorch::ops
