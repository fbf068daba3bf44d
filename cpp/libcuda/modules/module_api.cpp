// The functions about modules and what they contain.
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/launches/launch_limits.h"
#include "libcuda/modules/image_source.h"
#include "libcuda/modules/jit_options.h"

namespace minitorch::libcuda::api {

CUresult module_load_data_ex(CUmodule* module, const void* image, unsigned int count,
                             CUjit_option* options, void** values) {
  const auto context = current_context();
  required(module, "module");
  const JitOptions jit(count, options, values);
  *module = load_code(context, context->device, image, jit)->handle;
  return CUDA_SUCCESS;
}

CUresult module_load_data(CUmodule* module, const void* image) {
  return module_load_data_ex(module, image, 0, nullptr, nullptr);
}

CUresult module_load(CUmodule* module, const char* path) {
  return module_load_data(module, file_bytes(&required(path, "fname")).c_str());
}

CUresult module_unload(CUmodule handle) {
  const auto module = module_of(handle);
  require(module->context != nullptr, CUDA_ERROR_NOT_PERMITTED,
          "got the module of a library; need cuLibraryUnload.");
  process().modules.take(handle);
  process().functions.take_if(
      [&](const Function& function) { return function.module == handle; });
  return CUDA_SUCCESS;
}

CUresult module_get_function(CUfunction* function, CUmodule handle, const char* name) {
  required(function, "hfunc");
  *function = function_named(*module_of(handle), name);
  return CUDA_SUCCESS;
}

CUresult module_get_function_count(unsigned int* count, CUmodule handle) {
  required(count, "count") = list_kernels(*module_of(handle), nullptr, 0);
  return CUDA_SUCCESS;
}

CUresult module_enumerate_functions(CUfunction* functions, unsigned int room,
                                    CUmodule handle) {
  list_kernels(*module_of(handle), &required(functions, "functions"), room);
  return CUDA_SUCCESS;
}

CUresult module_get_global(CUdeviceptr* pointer, size_t* bytes, CUmodule handle,
                           const char* name) {
  find_global(*module_of(handle), name, false, pointer, bytes);
  return CUDA_SUCCESS;
}

CUresult module_get_loading_mode(int* mode) {
  required(mode, "mode") = 1;  // CU_MODULE_EAGER_LOADING
  return CUDA_SUCCESS;
}

CUresult func_is_loaded(int* state, CUfunction handle) {
  function_of(handle);
  required(state, "state") = 1;  // CU_FUNCTION_LOADING_STATE_LOADED
  return CUDA_SUCCESS;
}

CUresult func_load(CUfunction handle) {
  function_of(handle);
  return CUDA_SUCCESS;
}

CUresult func_get_attribute(int* value, CUfunction_attribute attribute,
                            CUfunction handle) {
  required(value, "pi");
  const auto function = function_of(handle);
  *value = function_attribute(process().device, *function, attribute);
  return CUDA_SUCCESS;
}

CUresult func_set_attribute(CUfunction handle, CUfunction_attribute attribute,
                            int value) {
  const auto function = function_of(handle);
  switch (static_cast<int>(attribute)) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
      const uint64_t most = process().device.profile.shared_per_block_optin;
      const uint64_t fixed = function->program().shared_bytes;
      require(value >= 0 && static_cast<uint64_t>(value) + fixed <= most,
              CUDA_ERROR_INVALID_VALUE, "got ", value, " bytes of dynamic and ", fixed,
              " of static shared memory; need at most ", most, " together.");
      function->dynamic_shared_limit = static_cast<uint32_t>(value);
      return CUDA_SUCCESS;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      require(value >= -1 && value <= 100, CUDA_ERROR_INVALID_VALUE, "got carveout ",
              value, "; need -1 to 100.");
      function->carveout = value;
      return CUDA_SUCCESS;
    default:
      fail(CUDA_ERROR_INVALID_VALUE, "function attribute ", static_cast<int>(attribute),
           " cannot be set.");
  }
}

CUresult func_set_cache_config(CUfunction handle, int config) {
  function_of(handle);
  require(config >= 0 && config <= 3, CUDA_ERROR_INVALID_VALUE, "got cache config ",
          config, "; need 0 to 3.");
  return CUDA_SUCCESS;  // a preference: without effect here
}

CUresult func_get_module(CUmodule* module, CUfunction handle) {
  required(module, "hmod") = function_of(handle)->module;
  return CUDA_SUCCESS;
}

CUresult func_get_name(const char** name, CUfunction handle) {
  required(name, "name") = function_of(handle)->program().name.c_str();
  return CUDA_SUCCESS;
}

CUresult func_get_param_info(CUfunction handle, size_t index, size_t* offset,
                             size_t* size) {
  const auto function = function_of(handle);
  const auto& parameters = function->program().parameters;
  require(index < parameters.size(), CUDA_ERROR_INVALID_VALUE, "got parameter ", index,
          "; need one of ", parameters.size(), ".");
  required(offset, "paramOffset") = parameters[index].offset;
  if (size != nullptr) *size = parameters[index].size;
  return CUDA_SUCCESS;
}

CUresult func_get_param_count(CUfunction handle, size_t* count) {
  required(count, "paramCount") = function_of(handle)->program().parameters.size();
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api
