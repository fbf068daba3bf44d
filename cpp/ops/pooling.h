// Pooling on both devices: shapes, dtypes, the choice of loop or kernel.
#pragma once

#include "ops/windows.h"

namespace minitorch::ops {

struct PoolOptions {
  Windows windows;
  bool count_padding = true;  // of means
  const char* where = "pool";
};

struct MaxPool {
  array::Array values, at;  // `at`: int32 positions in the plane, or -1
};

/// (…, height, width) -> (…, rows, columns): the largest cell of each window.
MaxPool max_pool2d(const array::Array& x, const PoolOptions& options);

/// The gradient of max_pool2d's input, of shape `input`.
array::Array max_pool2d_grad(const array::Array& g, const array::Array& at,
                             const array::Shape& input, const PoolOptions& options);

/// The cells of x, of max_pool2d's input's shape, at the positions that it found.
array::Array pick(const array::Array& x, const array::Array& at,
                  const PoolOptions& options);

/// (…, height, width) -> (…, rows, columns): the mean of each window.
array::Array avg_pool2d(const array::Array& x, const PoolOptions& options);

/// The gradient of avg_pool2d's input, of shape `input`.
array::Array avg_pool2d_grad(const array::Array& g, const array::Shape& input,
                             const PoolOptions& options);

}  // namespace minitorch::ops
