// The declarations of all implementations, read from the table.
#pragma once

#include "cuda_abi/runtime_types.h"

namespace minitorch::cudart::api {

#define CUDART(symbol, implementation, ...) int implementation(__VA_ARGS__);
#define CUDART_EARLY CUDART
#define CUDART_STREAM(suffix, symbol, implementation, ...) \
  int implementation(__VA_ARGS__);
#define CUDART_PLAIN(type, symbol, implementation, ...) \
  type implementation(__VA_ARGS__);
#define CUDART_FORWARD(...)
#define CUDART_FORWARD_STREAM(...)
#include "cudart/cudart.inc"
#undef CUDART
#undef CUDART_EARLY
#undef CUDART_STREAM
#undef CUDART_PLAIN
#undef CUDART_FORWARD
#undef CUDART_FORWARD_STREAM

}  // namespace minitorch::cudart::api
