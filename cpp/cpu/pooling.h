// The host loops of pooling: one value from each window of an image.
#pragma once

#include <cstdint>

#include "kernels/windows.h"

namespace minitorch::cpu {

/// out = the largest cell of each window, `at` = its position in the plane: the first
/// of equal ones; -1 with -inf for a window that lies in the padding. A NaN is the
/// largest.
template <class T>
void max_pool2d(const kernels::PoolShape& shape, const T* x, T* out, int32_t* at);

/// dx = each window's gradient at the position that max_pool2d found.
template <class T>
void max_pool2d_grad(const kernels::PoolShape& shape, const T* g, const int32_t* at,
                     T* dx);

/// out = the cells of x at the positions that max_pool2d found; 0 where there is none.
template <class T>
void pick(const kernels::PoolShape& shape, const T* x, const int32_t* at, T* out);

/// out = the mean of each window, over its padding too if `count_padding`. The dilation
/// is 1.
template <class T>
void avg_pool2d(const kernels::PoolShape& shape, bool count_padding, const T* x,
                T* out);

/// dx = each window's gradient, shared equally by its cells.
template <class T>
void avg_pool2d_grad(const kernels::PoolShape& shape, bool count_padding, const T* g,
                     T* dx);

}  // namespace minitorch::cpu
