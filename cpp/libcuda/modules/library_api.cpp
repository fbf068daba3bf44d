// The functions about libraries: code that belongs to no context. With one card and one
// memory, a library is loaded once and its kernels run in every context.
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/modules/image_source.h"
#include "libcuda/modules/jit_options.h"

namespace minitorch::libcuda::api {
namespace {

std::shared_ptr<LoadedImage> library_of(CUlibrary handle) {
  auto library = process().libraries.find(handle);
  require(library != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got a handle that is no loaded library.");
  return library;
}

void check_options(unsigned int count, const CUlibraryOption* options) {
  if (count > 0) required(options, "libraryOptions");
  for (unsigned int i = 0; i < count; ++i) {
    const int option = static_cast<int>(options[i]);
    require(option >= 0 && option <= CU_LIBRARY_BINARY_IS_PRESERVED,
            CUDA_ERROR_INVALID_VALUE, "got library option ", option, "; need 0 or 1.");
  }
}

CUfunction as_function(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

}  // namespace

CUresult library_load_data(CUlibrary* library, const void* code, CUjit_option* jit,
                           void** jit_values, unsigned int jit_count,
                           CUlibraryOption* options, void**, unsigned int count) {
  required(library, "library");
  check_options(count, options);
  const auto loaded = load_code(nullptr, process().device, code,
                                JitOptions(jit_count, jit, jit_values));
  *library = process().libraries.insert(loaded);
  return CUDA_SUCCESS;
}

CUresult library_load_from_file(CUlibrary* library, const char* path, CUjit_option* jit,
                                void** jit_values, unsigned int jit_count,
                                CUlibraryOption* options, void** values,
                                unsigned int count) {
  return library_load_data(library, file_bytes(&required(path, "fileName")).c_str(),
                           jit, jit_values, jit_count, options, values, count);
}

CUresult library_unload(CUlibrary handle) {
  const auto library = process().libraries.take(handle);
  require(library != nullptr, CUDA_ERROR_INVALID_HANDLE,
          "got a handle that is no loaded library.");
  process().modules.take(library->handle);
  process().functions.take_if(
      [&](const Function& function) { return function.module == library->handle; });
  return CUDA_SUCCESS;
}

CUresult library_get_kernel(CUkernel* kernel, CUlibrary handle, const char* name) {
  required(kernel, "pKernel");
  *kernel = reinterpret_cast<CUkernel>(function_named(*library_of(handle), name));
  return CUDA_SUCCESS;
}

CUresult library_get_kernel_count(unsigned int* count, CUlibrary handle) {
  required(count, "count") = list_kernels(*library_of(handle), nullptr, 0);
  return CUDA_SUCCESS;
}

CUresult library_enumerate_kernels(CUkernel* kernels, unsigned int room,
                                   CUlibrary handle) {
  static_assert(sizeof(CUkernel) == sizeof(CUfunction));
  required(kernels, "kernels");
  list_kernels(*library_of(handle), reinterpret_cast<CUfunction*>(kernels), room);
  return CUDA_SUCCESS;
}

CUresult library_get_module(CUmodule* module, CUlibrary handle) {
  current_context();
  required(module, "pMod") = library_of(handle)->handle;
  return CUDA_SUCCESS;
}

CUresult library_get_global(CUdeviceptr* pointer, size_t* bytes, CUlibrary handle,
                            const char* name) {
  find_global(*library_of(handle), name, false, pointer, bytes);
  return CUDA_SUCCESS;
}

CUresult library_get_managed(CUdeviceptr* pointer, size_t* bytes, CUlibrary handle,
                             const char* name) {
  find_global(*library_of(handle), name, true, pointer, bytes);
  return CUDA_SUCCESS;
}

CUresult library_get_unified_function(void** function, CUlibrary handle,
                                      const char* symbol) {
  library_of(handle);
  required(function, "fptr") = nullptr;
  fail(CUDA_ERROR_NOT_FOUND, "got '", &required(symbol, "symbol"),
       "'; the emulated card has no unified function pointers.");
}

CUresult kernel_get_function(CUfunction* function, CUkernel kernel) {
  current_context();
  function_of(as_function(kernel));
  required(function, "pFunc") = as_function(kernel);
  return CUDA_SUCCESS;
}

CUresult kernel_get_library(CUlibrary* library, CUkernel kernel) {
  const CUmodule module = function_of(as_function(kernel))->module;
  const auto handle = process().libraries.handle_of(
      [&](const LoadedImage& loaded) { return loaded.handle == module; });
  require(handle.has_value(), CUDA_ERROR_INVALID_HANDLE,
          "got a function of a module; need a kernel of a library.");
  required(library, "pLib") = *handle;
  return CUDA_SUCCESS;
}

CUresult kernel_get_attribute(int* value, CUfunction_attribute attribute,
                              CUkernel kernel, CUdevice device) {
  check_device(device);
  return func_get_attribute(value, attribute, as_function(kernel));
}

CUresult kernel_set_attribute(CUfunction_attribute attribute, int value,
                              CUkernel kernel, CUdevice device) {
  check_device(device);
  return func_set_attribute(as_function(kernel), attribute, value);
}

CUresult kernel_set_cache_config(CUkernel kernel, int config, CUdevice device) {
  check_device(device);
  return func_set_cache_config(as_function(kernel), config);
}

CUresult kernel_get_name(const char** name, CUkernel kernel) {
  return func_get_name(name, as_function(kernel));
}

CUresult kernel_get_param_info(CUkernel kernel, size_t index, size_t* offset,
                               size_t* size) {
  return func_get_param_info(as_function(kernel), index, offset, size);
}

CUresult kernel_get_param_count(CUkernel kernel, size_t* count) {
  return func_get_param_count(as_function(kernel), count);
}

}  // namespace minitorch::libcuda::api
