// The driver as a client sees it: every symbol by dlsym.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "cuda_abi/driver_types.h"
#include "cuda_abi/inspect.h"
#include "cuda_abi/work_types.h"

namespace libcuda {

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

  /// One of the options of this thread's later launches; the others stay.
  template <class Value>
  CUresult set_option(Value MtLaunchOptions::*option,
                      std::type_identity_t<Value> value) const {
    MtLaunchOptions options;
    if (const CUresult result = inspect_launch_options(&options); result != 0)
      return result;
    options.*option = value;
    return inspect_set_launch_options(&options);
  }

 private:
  template <class Pointer>
  void find(const char* symbol, Pointer* function) const {
    *function = reinterpret_cast<Pointer>(dlsym(handle, symbol));
  }
};

}  // namespace libcuda
