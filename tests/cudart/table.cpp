// Prints the table of our runtime library as the calling convention sees it: with
// HEADER defined, as NVIDIA's header declares the same names.
#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

#ifdef HEADER
#include <cuda_runtime_api.h>
#if __has_include(<cuda_profiler_api.h>)  // not in PyPI's package
#include <cuda_profiler_api.h>
#endif
using cudart_result = cudaError_t;
using cudart_copy_3d = cudaMemcpy3DParms;
using cudart_pointer = cudaPointerAttributes;
using cudart_function = cudaFuncAttributes;
using cudart_launch = cudaLaunchConfig_t;
using cudart_kernel_node = cudaKernelNodeParams;
using cudart_properties = cudaDeviceProp;
#else
#include "cuda_abi/runtime_types.h"
#endif

/// "i4" a number or structure of 4 bytes, "p8" a pointer to one of 8, "ps" to a
/// structure or to void, "f" to a function.
template <class T>
std::string shape_of() {
  if constexpr (std::is_pointer_v<T>) {
    using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_function_v<Target>) return "f";
    if constexpr (std::is_class_v<Target> || std::is_void_v<Target>) return "ps";
    if constexpr (std::is_scalar_v<Target>) return "p" + std::to_string(sizeof(Target));
    return "ps";
  } else if constexpr (std::is_void_v<T>) {
    return "v";
  } else {
    return "i" + std::to_string(sizeof(T));
  }
}

template <class Signature>
struct Shape;
template <class Result, class... Parameters>
struct Shape<Result(Parameters...)> {
  static std::string text() {
    return shape_of<Result>() + (std::string() + ... + (" " + shape_of<Parameters>()));
  }
};
template <class Result, class... Parameters>
struct Shape<Result(Parameters...) noexcept> : Shape<Result(Parameters...)> {};

template <class Signature>
void print(const char* symbol) {
  if (symbol[0] != '_')
    std::printf("%s %s\n", symbol, Shape<Signature>::text().c_str());
}

#ifdef HEADER
#define FUNCTION(type, symbol, ...) print<decltype(symbol)>(#symbol);
#else
#define FUNCTION(type, symbol, ...) print<type(__VA_ARGS__)>(#symbol);
#endif

int main() {
#define CUDART(symbol, implementation, ...) \
  FUNCTION(cudart_result, symbol __VA_OPT__(, ) __VA_ARGS__)
#define CUDART_EARLY CUDART
#define CUDART_FORWARD CUDART
#define CUDART_STREAM(suffix, ...) CUDART(__VA_ARGS__)
#define CUDART_FORWARD_STREAM(suffix, ...) CUDART(__VA_ARGS__)
#define CUDART_PLAIN(type, symbol, implementation, ...) \
  FUNCTION(type, symbol __VA_OPT__(, ) __VA_ARGS__)
#include "cudart/cudart.inc"
#define CUDART_ERROR(name, value) std::printf("%s %d\n", #name, int(name));
#define CUDART_ERROR_TEXT(value, text)
#include "cuda_abi/runtime_errors.inc"
#define SIZE(type) std::printf("%s %zu\n", #type, sizeof(type));
  SIZE(cudart_copy_3d)
  SIZE(cudart_pointer)
  SIZE(cudart_function)
  SIZE(cudart_launch)
  SIZE(cudart_kernel_node)
  SIZE(cudart_properties)
#define OFFSET(type, field) \
  std::printf("%s.%s %zu\n", #type, #field, offsetof(type, field));
  OFFSET(cudart_copy_3d, dstPtr)
  OFFSET(cudart_copy_3d, kind)
  OFFSET(cudart_pointer, hostPointer)
  OFFSET(cudart_function, nonPortableClusterSizeAllowed)
  OFFSET(cudart_launch, attrs)
  OFFSET(cudart_kernel_node, kernelParams)
  OFFSET(cudart_properties, uuid)
  OFFSET(cudart_properties, totalGlobalMem)
#define PROPERTY(field, attribute) OFFSET(cudart_properties, field)
#include "cudart/properties.inc"
}
