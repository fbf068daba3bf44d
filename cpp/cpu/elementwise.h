// The host loops of the elementwise ops, whose rows are elementwise.inc.
#pragma once

#include "cpu/element_loops.h"

namespace minitorch::cpu {

/// For which dtypes an op is; elementwise.inc says what each means.
enum class Domain { Any, Number, Whole, Real, Integer };

enum class Unary {
#define MINITORCH_UNARY(Op, ...) Op,
#include "cpu/elementwise.inc"
};

enum class Binary {
#define MINITORCH_BINARY(Op, ...) Op,
#include "cpu/elementwise.inc"
};

enum class Compare {
#define MINITORCH_COMPARE(Op, ...) Op,
#include "cpu/elementwise.inc"
};

/// out = op(a) over `shape`. Float and double have all of them, Float16 and BFloat16 as
/// well, computed in float and rounded once; int32_t, int64_t and uint8_t those that
/// are not Real. `out` may be `a` itself, never a shifted view of it.
template <class T>
void unary(Unary op, std::span<const int64_t> shape, Strided<const T> a,
           Strided<T> out);

/// out = op(a, b) over `shape`, for the same types: floats have all but the Integer
/// ones, integers all but the Real ones. Where the op works in place, `out` of floats
/// may be `a` itself, never a shifted view of it.
template <class T>
void binary(Binary op, std::span<const int64_t> shape, Strided<const T> a,
            Strided<const T> b, Strided<T> out);

bool works_in_place(Binary op);

/// out = a op b over `shape`, for the same types but those of 16 bits; with a NaN on a
/// side only NotEqual holds.
template <class T>
void compare(Compare op, std::span<const int64_t> shape, Strided<const T> a,
             Strided<const T> b, Strided<bool> out);

/// The same as 1 and 0, for float and double.
template <class T>
void order(Compare op, std::span<const int64_t> shape, Strided<const T> a,
           Strided<const T> b, Strided<T> out);

}  // namespace minitorch::cpu
