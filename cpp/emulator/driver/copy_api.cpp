// Owns the functions that copy memory: one, two and three dimensions, and between
// contexts, which share the one device here.
#include "emulator/driver/copy_queue.h"
#include "emulator/driver/exports.h"
#include "emulator/driver/process.h"

namespace minitorch::emulator::driver::api {
namespace {

void check_context(CUcontext handle) {
  require(process().contexts.find(handle) != nullptr, CUDA_ERROR_INVALID_CONTEXT,
          "got a handle that is no live context.");
}

CopyWork between(const CUDA_MEMCPY3D_PEER* wanted) {
  const CUDA_MEMCPY3D_PEER& copy = required(wanted, "pCopy");
  check_context(copy.srcContext);
  check_context(copy.dstContext);
  return copy_of(copy);
}

}  // namespace

CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  current_context();
  const CopyWork work = unified_copy(to, from, bytes);
  return copy_now(work);
}

CUresult copy_htod(CUdeviceptr to, const void* from, size_t bytes) {
  return copy_now(copy_to_device(to, from, bytes));
}

CUresult copy_dtoh(void* to, CUdeviceptr from, size_t bytes) {
  return copy_now(copy_to_host(to, from, bytes));
}

CUresult copy_dtod(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now(copy_of_device(to, from, bytes));
}

CUresult copy_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                   CUcontext from_context, size_t bytes) {
  check_context(to_context);
  check_context(from_context);
  return copy_now(copy_of_device(to, from, bytes));
}

CUresult copy_async(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_in_stream(unified_copy(to, from, bytes), stream);
}

CUresult copy_htod_async(CUdeviceptr to, const void* from, size_t bytes,
                         CUstream stream) {
  return copy_in_stream(copy_to_device(to, from, bytes), stream);
}

CUresult copy_dtoh_async(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_in_stream(copy_to_host(to, from, bytes), stream);
}

CUresult copy_dtod_async(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                         CUstream stream) {
  return copy_in_stream(copy_of_device(to, from, bytes), stream);
}

CUresult copy_peer_async(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                         CUcontext from_context, size_t bytes, CUstream stream) {
  check_context(to_context);
  check_context(from_context);
  return copy_in_stream(copy_of_device(to, from, bytes), stream);
}

/// Rows need no alignment here, so that this is cuMemcpy2DUnaligned, too.
CUresult copy_2d(const CUDA_MEMCPY2D* wanted) {
  return copy_now(driver::copy_of(required(wanted, "pCopy")));
}

CUresult copy_2d_async(const CUDA_MEMCPY2D* wanted, CUstream stream) {
  return copy_in_stream(driver::copy_of(required(wanted, "pCopy")), stream);
}

CUresult copy_3d(const CUDA_MEMCPY3D* wanted) {
  return copy_now(driver::copy_of(required(wanted, "pCopy")));
}

CUresult copy_3d_async(const CUDA_MEMCPY3D* wanted, CUstream stream) {
  return copy_in_stream(driver::copy_of(required(wanted, "pCopy")), stream);
}

CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER* wanted) {
  return copy_now(between(wanted));
}

CUresult copy_3d_peer_async(const CUDA_MEMCPY3D_PEER* wanted, CUstream stream) {
  return copy_in_stream(between(wanted), stream);
}

}  // namespace minitorch::emulator::driver::api
