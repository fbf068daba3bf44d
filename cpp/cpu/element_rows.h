// The table of loops over contiguous rows of elementwise ops, one of each op and
// floating type, built for several instruction sets.
#pragma once

#include "cpu/elementwise.h"
#include "cpu/rows.h"

namespace minitorch::cpu {

/// The loop out[i] = op(x[i]) of float or double. `out` may be `x` itself.
template <class T>
MapRow<T> map_row(Unary op);

/// The loops of out[i] = op(x[i], y[i]) of float or double, and those beside a number;
/// null of an op on bits. `out` may be `x` or `y` itself.
template <class T>
ZipRows<T> zip_rows(Binary op);

}  // namespace minitorch::cpu
