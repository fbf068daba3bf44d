// The spelling of a function's shape as the calling convention sees it. Includes
// neither side's header.
#pragma once

#include <string>
#include <type_traits>

#include "base/text.h"

namespace cuda_abi {

namespace base = minitorch::base;

/// "i4" a number of 4 bytes, "p8" a pointer to one of 8, "ps" to a struct or void, "f"
/// to a function.
template <class T>
std::string shape_of() {
  if constexpr (std::is_pointer_v<T>) {
    using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_function_v<Target>) {
      return "f";
    } else if constexpr (std::is_class_v<Target> || std::is_union_v<Target> ||
                         std::is_void_v<Target>) {
      return "ps";
    } else {
      return base::text("p", sizeof(Target));
    }
  } else {
    return base::text("i", sizeof(T));
  }
}

template <class Signature>
struct Shape;

template <class Result, class... Parameters>
struct Shape<Result(Parameters...)> {
  static std::string text() {
    return base::text(shape_of<Result>(), "(",
                      base::text(shape_of<Parameters>(), " ")..., ")");
  }
};

}  // namespace cuda_abi
