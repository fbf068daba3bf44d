// Owns the driver as a client sees it: every symbol by dlsym. Knows no test framework.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "cuda_abi/driver_types.h"
#include "cuda_abi/inspect.h"

namespace emulator_driver {

struct DriverTable {
#define CU_FUNCTION(member, symbol, parameters) CUresult(*member) parameters = nullptr;
#include "cuda_abi/driver_functions.inc"
#undef CU_FUNCTION
#define INSPECT_FUNCTION(member, symbol, parameters) \
  CUresult(*inspect_##member) parameters = nullptr;
#include "cuda_abi/inspect_functions.inc"
#undef INSPECT_FUNCTION
  void* handle = nullptr;

  explicit DriverTable(const char* library, int flags = RTLD_NOW | RTLD_LOCAL) {
    handle = dlopen(library, flags);
    if (handle == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
#define CU_FUNCTION(member, symbol, parameters) find(#symbol, &member);
#include "cuda_abi/driver_functions.inc"
#undef CU_FUNCTION
#define INSPECT_FUNCTION(member, symbol, parameters) find(#symbol, &inspect_##member);
#include "cuda_abi/inspect_functions.inc"
#undef INSPECT_FUNCTION
  }

  /// Any other symbol: `auto get = table.find<CUresult(int*)>("cuDeviceGetCount")`.
  template <class Signature>
  Signature* find(const char* symbol) const {
    Signature* function = nullptr;
    find(symbol, &function);
    return function;
  }

 private:
  template <class Pointer>
  void find(const char* symbol, Pointer* function) const {
    *function = reinterpret_cast<Pointer>(dlsym(handle, symbol));
  }
};

}  // namespace emulator_driver
