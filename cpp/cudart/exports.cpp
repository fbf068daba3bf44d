// The exported functions, generated from the table.
#include "cuda_abi/parameter_lists.h"
#include "cudart/api.h"
#include "cudart/call.h"
#include "cudart/driver.h"

namespace cudart = minitorch::cudart;

#define EXPORTED extern "C" __attribute__((visibility("default")))

#define ANSWER(symbol, implementation, needs_context, per_thread, ...)       \
  EXPORTED cudart_result symbol(PARAMETERS(__VA_ARGS__)) {                   \
    return cudart::answer(#symbol, needs_context, per_thread, [&]() -> int { \
      return cudart::api::implementation(ARGUMENTS(__VA_ARGS__));            \
    });                                                                      \
  }
#define CUDART(symbol, implementation, ...) \
  ANSWER(symbol, implementation, true, false __VA_OPT__(, ) __VA_ARGS__)
#define CUDART_EARLY(symbol, implementation, ...) \
  ANSWER(symbol, implementation, false, false __VA_OPT__(, ) __VA_ARGS__)
#define CUDART_STREAM(suffix, symbol, implementation, ...) \
  ANSWER(symbol, implementation, true, false, __VA_ARGS__) \
  ANSWER(symbol##suffix, implementation, true, true, __VA_ARGS__)
#define CUDART_PLAIN(type, symbol, implementation, ...)         \
  EXPORTED type symbol(PARAMETERS(__VA_ARGS__)) {               \
    return cudart::api::implementation(ARGUMENTS(__VA_ARGS__)); \
  }

#define FORWARD(symbol, driver_symbol, per_thread, ...)                         \
  EXPORTED cudart_result symbol(PARAMETERS(__VA_ARGS__)) {                      \
    return cudart::answer(#symbol, true, per_thread, [&]() -> int {             \
      static const auto function = reinterpret_cast<CUresult (*)(__VA_ARGS__)>( \
          cudart::driver_function(#driver_symbol, per_thread));                 \
      return function(ARGUMENTS(__VA_ARGS__));                                  \
    });                                                                         \
  }
#define CUDART_FORWARD(symbol, driver_symbol, ...) \
  FORWARD(symbol, driver_symbol, false __VA_OPT__(, ) __VA_ARGS__)
#define CUDART_FORWARD_STREAM(suffix, symbol, driver_symbol, ...) \
  FORWARD(symbol, driver_symbol, false, __VA_ARGS__)              \
  FORWARD(symbol##suffix, driver_symbol, true, __VA_ARGS__)
#include "cudart/cudart.inc"

// Without parameters: what a caller passes is never looked at.
#define CUDART_ABSENT(symbol) \
  EXPORTED cudart_result symbol() { return cudart::absent(#symbol); }
#define CUDART_ABSENT_STREAM(suffix, symbol) \
  CUDART_ABSENT(symbol) CUDART_ABSENT(symbol##suffix)
#include "cudart/absent.inc"
