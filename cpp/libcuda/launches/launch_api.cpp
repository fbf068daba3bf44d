// The functions that launch kernels.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/launch_limits.h"
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/capture.h"

namespace minitorch::libcuda::api {
namespace {

constexpr unsigned int kParameterBytes = 4096;  // of functions from before CUDA 4

CUresult launch(CUfunction handle, const LaunchShape& shape, CUstream stream_handle,
                void** values, void** extra, bool cooperative) {
  KernelWork work = kernel_work(handle, shape, values, extra);
  if (cooperative) make_cooperative(work);
  const auto stream = usable_stream(stream_handle);
  enqueue(stream, work);
  if (!base::blocking_launches()) return CUDA_SUCCESS;
  stream->context->queues().wait(stream->queue);
  return stream->context->sync_result(stream->queue);
}

}  // namespace

CUresult launch_kernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                       unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                       unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                       void** values, void** extra) {
  const LaunchShape shape{
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
  return launch(function, shape, stream, values, extra, false);
}

CUresult launch_cooperative_kernel(CUfunction function, unsigned int grid_x,
                                   unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes,
                                   CUstream stream, void** values) {
  const LaunchShape shape{
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
  return launch(function, shape, stream, values, nullptr, true);
}

CUresult launch_kernel_ex(const CUlaunchConfig* config, CUfunction function,
                          void** values, void** extra) {
  const CUlaunchConfig& wanted = required(config, "config");
  if (wanted.numAttrs > 0) required(wanted.attrs, "attrs");
  bool cooperative = false;
  for (unsigned int i = 0; i < wanted.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = wanted.attrs[i];
    const auto& cluster = attribute.value.clusterDim;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      cooperative = attribute.value.cooperative != 0;
    }
    const bool clusters = attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
                          cluster.x * cluster.y * cluster.z > 1;
    require(!clusters, CUDA_ERROR_NOT_SUPPORTED,
            "thread block clusters are not supported by the emulator.");
  }
  const LaunchShape shape{{wanted.gridDimX, wanted.gridDimY, wanted.gridDimZ},
                          {wanted.blockDimX, wanted.blockDimY, wanted.blockDimZ},
                          wanted.sharedMemBytes};
  return launch(function, shape, wanted.hStream, values, extra, cooperative);
}

CUresult func_set_block_shape(CUfunction handle, int x, int y, int z) {
  current_context();
  const auto function = function_of(handle);
  require(x > 0 && y > 0 && z > 0, CUDA_ERROR_INVALID_VALUE, "got a block of ", x,
          " x ", y, " x ", z, "; need at least 1 in each direction.");
  std::lock_guard lock(function->draft.mutex);
  function->draft.block = {static_cast<uint32_t>(x), static_cast<uint32_t>(y),
                           static_cast<uint32_t>(z)};
  return CUDA_SUCCESS;
}

CUresult func_set_shared_size(CUfunction handle, unsigned int bytes) {
  current_context();
  const auto function = function_of(handle);
  std::lock_guard lock(function->draft.mutex);
  function->draft.dynamic_shared = bytes;
  return CUDA_SUCCESS;
}

CUresult param_set_size(CUfunction handle, unsigned int bytes) {
  current_context();
  const auto function = function_of(handle);
  require(bytes <= kParameterBytes, CUDA_ERROR_INVALID_VALUE, "got ", bytes,
          " bytes of parameters; need at most ", kParameterBytes, ".");
  std::lock_guard lock(function->draft.mutex);
  function->draft.parameter_bytes = bytes;
  return CUDA_SUCCESS;
}

CUresult param_set_v(CUfunction handle, int offset, void* value, unsigned int bytes) {
  current_context();
  const auto function = function_of(handle);
  const char* from = &required(static_cast<const char*>(value), "ptr");
  require(offset >= 0 && bytes <= kParameterBytes &&
              static_cast<unsigned int>(offset) <= kParameterBytes - bytes,
          CUDA_ERROR_INVALID_VALUE, "got a parameter of ", bytes, " bytes at offset ",
          offset, "; need an end of at most ", kParameterBytes, " bytes.");
  std::lock_guard lock(function->draft.mutex);
  auto& parameters = function->draft.parameters;
  const size_t begin = static_cast<size_t>(offset);
  parameters.resize(std::max(parameters.size(), begin + bytes));
  if (bytes != 0) std::memcpy(parameters.data() + begin, from, bytes);
  return CUDA_SUCCESS;
}

CUresult param_set_i(CUfunction handle, int offset, unsigned int value) {
  return param_set_v(handle, offset, &value, sizeof value);
}

CUresult param_set_f(CUfunction handle, int offset, float value) {
  return param_set_v(handle, offset, &value, sizeof value);
}

CUresult launch_grid_async(CUfunction handle, int width, int height, CUstream stream) {
  current_context();
  const auto function = function_of(handle);
  require(width > 0 && height > 0, CUDA_ERROR_INVALID_VALUE, "got a grid of ", width,
          " x ", height, "; need at least 1 in each direction.");
  LaunchShape shape{
      {static_cast<uint32_t>(width), static_cast<uint32_t>(height), 1}, {}, 0};
  std::vector<uint8_t> parameters;
  {
    std::lock_guard lock(function->draft.mutex);
    const LaunchDraft& draft = function->draft;
    require(draft.block.count() > 0, CUDA_ERROR_INVALID_VALUE, "got a launch of '",
            function->program().display,
            "' without a block shape; need cuFuncSetBlockShape first.");
    shape.block = draft.block;
    shape.dynamic_shared = draft.dynamic_shared;
    parameters = draft.parameters;
    parameters.resize(draft.parameter_bytes);
  }
  size_t bytes = parameters.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters.data(),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  return launch(handle, shape, stream, nullptr, extra, false);
}

CUresult launch_grid(CUfunction handle, int width, int height) {
  return launch_grid_async(handle, width, height, nullptr);
}

CUresult launch_one_block(CUfunction handle) {
  return launch_grid_async(handle, 1, 1, nullptr);
}

}  // namespace minitorch::libcuda::api
