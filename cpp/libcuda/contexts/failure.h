// How an implementation of a driver function ends early.
#pragma once

#include <string>
#include <utility>

#include "base/text.h"
#include "cuda_abi/driver_types.h"

namespace minitorch::libcuda {

/// Thrown inside the library only: the export turns it into its result, and
/// mtLastMessage gives the message.
struct Failure {
  CUresult result;
  std::string message;
};

template <class... Parts>
[[noreturn]] void fail(CUresult result, const Parts&... parts) {
  throw Failure{result, base::text(parts...)};
}

template <class... Parts>
void require(bool condition, CUresult result, const Parts&... parts) {
  if (!condition) fail(result, parts...);
}

/// A pointer the client must not leave null.
template <class T>
T& required(T* pointer, const char* name) {
  require(pointer != nullptr, CUDA_ERROR_INVALID_VALUE, "got null for '", name,
          "'; need a pointer.");
  return *pointer;
}

}  // namespace minitorch::libcuda
