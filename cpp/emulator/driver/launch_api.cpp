// Owns the functions that launch kernels.
#include <cstdlib>
#include <cstring>

#include "emulator/driver/exports.h"
#include "emulator/driver/process.h"
#include "emulator/driver/work.h"

namespace minitorch::emulator::driver::api {
namespace {

bool blocking_launches() {
  static const bool blocking = [] {
    const char* text = std::getenv("CUDA_LAUNCH_BLOCKING");
    return text != nullptr && std::strcmp(text, "0") != 0 && *text != '\0';
  }();
  return blocking;
}

CUresult launch(CUfunction handle, const LaunchShape& shape, CUstream stream_handle,
                void** values, void** extra, bool cooperative) {
  KernelWork work = kernel_work(handle, shape, values, extra);
  if (cooperative) make_cooperative(work);
  const auto stream = usable_stream(stream_handle);
  enqueue(stream, work);
  if (!blocking_launches()) return CUDA_SUCCESS;
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

}  // namespace minitorch::emulator::driver::api
