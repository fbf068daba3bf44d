// Launches: `<<<...>>>` pushes a configuration, nvcc's stub pops it and launches.
#include "cudart/api.h"
#include "cudart/binaries.h"
#include "cudart/call.h"
#include "cudart/driver.h"
#include "cudart/report.h"

namespace minitorch::cudart {
namespace {

bool fits(cudart_dim3 size, CUdevice_attribute x) {
  const unsigned int sizes[] = {size.x, size.y, size.z};
  for (int i = 0; i < 3; ++i) {
    int limit = 0;
    driver().device_get_attribute(&limit, static_cast<CUdevice_attribute>(x + i), 0);
    if (sizes[i] == 0 || sizes[i] > static_cast<unsigned int>(limit)) return false;
  }
  return true;
}

/// The driver has one error for all that does not fit; the runtime has one of its own
/// for grids and blocks.
int launch_error(int result, cudart_dim3 grid, cudart_dim3 block) {
  if (result != CUDA_ERROR_INVALID_VALUE) return result;
  int threads = 0;
  driver().device_get_attribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0);
  const bool right =
      fits(block, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) &&
      fits(grid, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) &&
      uint64_t{block.x} * block.y * block.z <= static_cast<uint64_t>(threads);
  return right ? result : static_cast<int>(cudaErrorInvalidConfiguration);
}

int launch(CUfunction function, cudart_dim3 grid, cudart_dim3 block, void** arguments,
           size_t shared, CUstream stream) {
  const int result = driver().launch_kernel(
      function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
      static_cast<unsigned int>(shared), stream, arguments, nullptr);
  return result == 0 ? 0 : launch_error(result, grid, block);
}

}  // namespace

namespace api {

unsigned int push_configuration(cudart_dim3 grid, cudart_dim3 block, size_t shared,
                                void* stream) {
  thread_state().configurations.push_back({grid, block, shared, stream});
  return 0;
}

int pop_configuration(cudart_dim3* grid, cudart_dim3* block, size_t* shared,
                      void* stream) {
  auto& all = thread_state().configurations;
  if (all.empty()) return refuse(cudaErrorMissingConfiguration);
  const Configuration last = all.back();
  all.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<void**>(stream) = last.stream;
  return 0;
}

int launch_handle(void* handle, cudart_dim3 grid, cudart_dim3 block, void** arguments,
                  size_t shared, CUstream stream) {
  if (handle == nullptr) return refuse(cudaErrorInvalidDeviceFunction);
  Kernel& kernel = *static_cast<Kernel*>(handle);
  set_launched_kernel(kernel.name);
  CUkernel loaded = nullptr;
  if (const int result = load(kernel, &loaded); result != 0) return result;
  // The driver takes a kernel for a function.
  return launch(reinterpret_cast<CUfunction>(loaded), grid, block, arguments, shared,
                stream);
}

int launch_function(const void* function, cudart_dim3 grid, cudart_dim3 block,
                    void** arguments, size_t shared, CUstream stream) {
  if (Kernel* const kernel = kernel_of(function))
    return launch_handle(kernel, grid, block, arguments, shared, stream);
  set_launched_kernel("");
  CUfunction loaded = nullptr;
  const int result = function_for(function, &loaded);
  return result != 0 ? result : launch(loaded, grid, block, arguments, shared, stream);
}

int launch_cooperative(const void* function, cudart_dim3 grid, cudart_dim3 block,
                       void** arguments, size_t shared, CUstream stream) {
  Kernel* const kernel = kernel_of(function);
  set_launched_kernel(kernel != nullptr ? kernel->name : "");
  CUfunction loaded = nullptr;
  int result = function_for(function, &loaded);
  if (result != 0) return result;
  result = driver().launch_cooperative_kernel(
      loaded, grid.x, grid.y, grid.z, block.x, block.y, block.z,
      static_cast<unsigned int>(shared), stream, arguments);
  return result == 0 ? 0 : launch_error(result, grid, block);
}

int launch_ex(const cudart_launch* given, const void* function, void** arguments) {
  if (given == nullptr) return refuse(cudaErrorInvalidValue);
  Kernel* const kernel = kernel_of(function);
  set_launched_kernel(kernel != nullptr ? kernel->name : "");
  CUfunction loaded = nullptr;
  int result = function_for(function, &loaded);
  if (result != 0) return result;
  const auto& [grid, block, shared, stream, attributes, count] = *given;
  const CUlaunchConfig config{grid.x,
                              grid.y,
                              grid.z,
                              block.x,
                              block.y,
                              block.z,
                              static_cast<unsigned int>(shared),
                              stream,
                              attributes,
                              count};
  result = driver().launch_kernel_ex(&config, loaded, arguments, nullptr);
  return result == 0 ? 0 : launch_error(result, grid, block);
}

/// Runs `call` with the driver's function for one that the program passed.
template <class Call>
int with_function(const void* function, Call call) {
  CUfunction loaded = nullptr;
  const int result = function_for(function, &loaded);
  return result != 0 ? result : static_cast<int>(call(loaded));
}

int function_attributes(cudart_function* out, const void* function) {
  if (out == nullptr) return refuse(cudaErrorInvalidValue);
  return with_function(function, [&](CUfunction loaded) {
    *out = {};
    int result = 0;
    const auto get = [&](CUfunction_attribute attribute) {
      int value = 0;
      if (result == 0) result = driver().func_get_attribute(&value, attribute, loaded);
      return value;
    };
    out->sharedSizeBytes = get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    out->constSizeBytes = get(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
    out->localSizeBytes = get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    out->maxThreadsPerBlock = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    out->numRegs = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
    out->ptxVersion = get(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    out->binaryVersion = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    out->cacheModeCA = get(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
    out->maxDynamicSharedSizeBytes =
        get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    out->preferredShmemCarveout =
        get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    return result;
  });
}

int set_function_attribute(const void* function, int attribute, int value) {
  return with_function(function, [&](CUfunction loaded) {
    return driver().func_set_attribute(
        loaded, static_cast<CUfunction_attribute>(attribute), value);
  });
}

int set_function_cache(const void* function, int config) {
  return with_function(function, [&](CUfunction loaded) {
    return driver().func_set_cache(loaded, config);
  });
}

int set_function_banks(const void* function, int config) {
  return with_function(function, [&](CUfunction loaded) {
    return driver().func_set_banks(loaded, config);
  });
}

int function_name(const char** name, const void* function) {
  return with_function(function, [&](CUfunction loaded) {
    return driver().func_get_name(name, loaded);
  });
}

int function_parameter(const void* function, size_t index, size_t* offset,
                       size_t* size) {
  return with_function(function, [&](CUfunction loaded) {
    return driver().func_get_param_info(loaded, index, offset, size);
  });
}

int function_parameter_count(const void* function, size_t* count) {
  return with_function(function, [&](CUfunction loaded) {
    return driver().func_get_param_count(loaded, count);
  });
}

int function_of_symbol(CUfunction* out, const void* function) {
  return function_for(function, out);
}

int kernel_of_symbol(CUkernel* out, const void* function) {
  Kernel* const kernel = kernel_of(function);
  return kernel == nullptr ? refuse(cudaErrorInvalidDeviceFunction)
                           : load(*kernel, out);
}

int occupancy_blocks(int* blocks, const void* function, int threads, size_t shared) {
  return with_function(function, [&](CUfunction loaded) {
    return driver().occupancy_blocks(blocks, loaded, threads, shared);
  });
}

int occupancy_blocks_with_flags(int* blocks, const void* function, int threads,
                                size_t shared, unsigned int flags) {
  return with_function(function, [&](CUfunction loaded) {
    return driver().occupancy_blocks_with_flags(blocks, loaded, threads, shared, flags);
  });
}

int occupancy_shared(size_t* bytes, const void* function, int blocks, int threads) {
  return with_function(function, [&](CUfunction loaded) {
    return driver().occupancy_shared(bytes, loaded, blocks, threads);
  });
}

}  // namespace api
}  // namespace minitorch::cudart
