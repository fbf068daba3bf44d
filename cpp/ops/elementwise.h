// Owns what the ops on two arrays share: one device, one shape, the launch of zip.cu.
// Knows no op.
#pragma once

#include "array/array.h"

namespace minitorch::ops {

/// ValueError that names both devices unless they are one.
void require_one_device(const char* where, const array::Array& a,
                        const array::Array& b);

/// `a` expanded to `shape`; itself if it has that shape.
array::Array spread(const array::Array& a, const array::Shape& shape);

/// Launches zip.cu: out = Fn(a, b), all of one shape, `code` being the body of
/// `Fn(Source a, Source b)`.
void zip_on_device(const char* code, const array::Array& a, const array::Array& b,
                   const array::Array& out);

}  // namespace minitorch::ops
