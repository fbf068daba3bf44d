// What joins two values in a reduction, and the value that changes nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace minitorch::cpu {

template <class T>
struct Add {
  static T identity() { return T(0); }
  static T join(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};

template <class T>
struct Maximum {
  static T identity() {
    if constexpr (std::is_floating_point_v<T>)
      return -std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::lowest();
  }
  static T join(T a, T b) { return (a > b) | (a != a) ? a : b; }
};

template <class T>
struct Minimum {
  static T identity() {
    if constexpr (std::is_floating_point_v<T>)
      return std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::max();
  }
  static T join(T a, T b) { return (a < b) | (a != a) ? a : b; }
};

template <class T>
struct Multiply {
  static T identity() { return T(1); }
  static T join(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      // Wider than int, whose overflow is undefined for short types, too.
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};

}  // namespace minitorch::cpu
