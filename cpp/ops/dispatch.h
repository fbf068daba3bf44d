// The step from a dtype known at run time to a C++ type, and the operands of host
// loops.
#pragma once

#include <string>
#include <type_traits>

#include "array/array.h"
#include "base/error.h"
#include "base/text.h"
#include "cpu/element_loops.h"
#include "cpu/half.h"

namespace minitorch::ops {

using array::Array;
using array::Device;
using array::Dtype;
using array::Shape;

[[noreturn]] inline void refuse_dtype(const char* where, Dtype got,
                                      const char* needed) {
  throw base::TypeError(where,
                        base::text("got ", dtype_name(got), "; need ", needed, "."));
}

/// Calls `body` with std::type_identity<T> of a floating-point dtype.
template <class Body>
auto visit_real(Dtype dtype, const char* where, Body&& body) {
  switch (dtype) {
    case Dtype::Float32:
      return body(std::type_identity<float>{});
    case Dtype::Float64:
      return body(std::type_identity<double>{});
    default:
      refuse_dtype(where, dtype, "float32 or float64");
  }
}

/// The same for the dtypes that host loops compute in: 16-bit floats are widened before
/// (widen.h), and truth values are bytes.
template <class Body>
auto visit_number(Dtype dtype, const char* where, Body&& body) {
  switch (dtype) {
    case Dtype::Float32:
      return body(std::type_identity<float>{});
    case Dtype::Float64:
      return body(std::type_identity<double>{});
    case Dtype::Int32:
      return body(std::type_identity<int32_t>{});
    case Dtype::Int64:
      return body(std::type_identity<int64_t>{});
    case Dtype::UInt8:
      return body(std::type_identity<uint8_t>{});
    default:
      refuse_dtype(where, dtype, "float32, float64, int32, int64 or uint8");
  }
}

/// The same, and the 16-bit floats of those loops that widen them themselves.
template <class Body>
auto visit_element(Dtype dtype, const char* where, Body&& body) {
  switch (dtype) {
    case Dtype::Float16:
      return body(std::type_identity<cpu::Float16>{});
    case Dtype::BFloat16:
      return body(std::type_identity<cpu::BFloat16>{});
    default:
      return visit_number(dtype, where, body);
  }
}

/// The same for all dtypes: those that can be stored and converted.
template <class Body>
auto visit_stored(Dtype dtype, Body&& body) {
  switch (dtype) {
    case Dtype::Bool:
      return body(std::type_identity<bool>{});
    default:
      return visit_element(dtype, "dtype", body);
  }
}

/// Calls `body` with an unsigned type of that many bytes: for loops that only move
/// elements.
template <class Body>
auto visit_size(size_t bytes, Body&& body) {
  switch (bytes) {
    case 1:
      return body(std::type_identity<uint8_t>{});
    case 2:
      return body(std::type_identity<uint16_t>{});
    case 4:
      return body(std::type_identity<uint32_t>{});
    default:
      return body(std::type_identity<uint64_t>{});
  }
}

template <class T>
cpu::Strided<const T> host_input(const Array& a) {
  return {a.data<T>(), a.strides()};
}

template <class T>
cpu::Strided<T> host_output(const Array& a) {
  return {a.data<T>(), a.strides()};
}

}  // namespace minitorch::ops
