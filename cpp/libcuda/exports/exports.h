// The declarations of all implementations, read from the table, and the table as data.
#pragma once

#include <cstddef>
#include <span>

#include "cuda_abi/driver_types.h"
#include "cuda_abi/inspect.h"
#include "cuda_abi/memory_types.h"
#include "cuda_abi/module_types.h"
#include "cuda_abi/work_types.h"

namespace minitorch::libcuda {

/// One exported symbol of the driver API; base names have several, one a version.
struct Export {
  const char* base;
  const char* symbol;
  int since;
  bool per_thread;  // stream 0 is the calling thread's own
  void* function;
};

std::span<const Export> exports();

/// The implementations: they may throw Failure and find the process initialised (unless
/// their row says EARLY).
namespace api {
#define CU_EXPORT(base, symbol, since, implementation, ...) \
  CUresult implementation(__VA_ARGS__);
#define CU_EXPORT_EARLY CU_EXPORT
#define CU_EXPORT_STREAM(suffix, base, symbol, since, implementation, ...) \
  CUresult implementation(__VA_ARGS__);
#define MT_EXPORT(symbol, implementation, ...) CUresult implementation(__VA_ARGS__);
#define MT_EXPORT_EARLY MT_EXPORT
#define CU_ALIAS(base, symbol, since)
#include "libcuda/exports/exports.inc"
#undef CU_EXPORT
#undef CU_EXPORT_EARLY
#undef CU_EXPORT_STREAM
#undef CU_ALIAS
#undef MT_EXPORT
#undef MT_EXPORT_EARLY
}  // namespace api

}  // namespace minitorch::libcuda
