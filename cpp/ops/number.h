// A number without a dtype of its own, as Python has it.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace minitorch::ops {

/// A Python number: exact as an integer where it is one that 64 bits hold.
struct Number {
  double value = 0;
  bool is_integer = false;  // then `integer` counts, and `value` may be rounded
  bool is_bool = false;
  int64_t integer = 0;

  Number() = default;
  Number(double number) : value(number) {}
  template <std::integral T>
  Number(T number)
      : value(static_cast<double>(number)),
        is_integer(true),
        is_bool(std::is_same_v<T, bool>),
        integer(number) {}

  /// The number as an element of type T.
  template <class T>
  T as() const {
    if constexpr (std::is_integral_v<T>) {
      if (is_integer) return static_cast<T>(integer);
    }
    return static_cast<T>(value);
  }
};

}  // namespace minitorch::ops
