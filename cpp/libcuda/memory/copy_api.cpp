// The functions that copy memory: one, two and three dimensions, and between contexts,
// which share the one device here.
#include <cstdint>

#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/memory/copy_queue.h"

namespace minitorch::libcuda::api {
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

namespace {

constexpr unsigned int kCopyFlags = 1;

void check_attributes(const CUmemcpyAttributes& attributes) {
  require(attributes.srcAccessOrder >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM &&
              attributes.srcAccessOrder <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
          CUDA_ERROR_INVALID_VALUE, "got source access order ",
          attributes.srcAccessOrder, "; need one of CUmemcpySrcAccessOrder.");
  require(attributes.flags <= kCopyFlags, CUDA_ERROR_INVALID_VALUE, "got flags ",
          attributes.flags, "; need one of CUmemcpyFlags.");
}

CUresult copy_as(const CUmemcpyAttributes& attributes, const CopyWork& work,
                 CUstream stream) {
  const bool at_once =
      attributes.srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
  return at_once ? copy_from_now(work, stream) : copy_in_stream(work, stream);
}

}  // namespace

CUresult copy_with_attributes(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUmemcpyAttributes* attributes, CUstream stream) {
  check_attributes(required(attributes, "attr"));
  return copy_as(*attributes, unified_copy(to, from, bytes), stream);
}

/// All is checked before the first copy is queued.
CUresult copy_batch(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                    CUmemcpyAttributes* attributes, size_t* firsts, size_t kinds,
                    CUstream stream) {
  required(to, "dsts");
  required(from, "srcs");
  required(bytes, "sizes");
  required(attributes, "attrs");
  required(firsts, "attrsIdxs");
  usable_stream(stream);
  const bool legacy = stream == CU_STREAM_LEGACY ||
                      (stream == nullptr && !thread_state().per_thread_default);
  require(!legacy, CUDA_ERROR_INVALID_VALUE,
          "got the legacy default stream; need another one.");
  require(count > 0 && kinds > 0 && kinds <= count, CUDA_ERROR_INVALID_VALUE, "got ",
          count, " copies and ", kinds,
          " attributes; need at least one each, and no more attributes than copies.");
  for (size_t k = 0; k < kinds; ++k) {
    check_attributes(attributes[k]);
    const bool rises = k == 0 ? firsts[0] == 0 : firsts[k] > firsts[k - 1];
    require(rises && firsts[k] < count, CUDA_ERROR_INVALID_VALUE, "got attrsIdxs[", k,
            "] = ", firsts[k], "; need 0 first, then rising numbers of copies.");
  }
  for (size_t i = 0; i < count; ++i)
    check_ranges(unified_copy(to[i], from[i], bytes[i]));
  for (size_t i = 0, k = 0; i < count; ++i) {
    if (k + 1 < kinds && firsts[k + 1] == i) ++k;
    const CUresult result =
        copy_as(attributes[k], unified_copy(to[i], from[i], bytes[i]), stream);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

/// The number of the copy that failed is not known: as CUDA says it, then SIZE_MAX.
CUresult copy_batch_v1(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                       CUmemcpyAttributes* attributes, size_t* firsts, size_t kinds,
                       size_t* failed, CUstream stream) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return copy_batch(to, from, bytes, count, attributes, firsts, kinds, stream);
}

/// Rows need no alignment here, so that this is cuMemcpy2DUnaligned, too.
CUresult copy_2d(const CUDA_MEMCPY2D* wanted) {
  return copy_now(libcuda::copy_of(required(wanted, "pCopy")));
}

CUresult copy_2d_async(const CUDA_MEMCPY2D* wanted, CUstream stream) {
  return copy_in_stream(libcuda::copy_of(required(wanted, "pCopy")), stream);
}

CUresult copy_3d(const CUDA_MEMCPY3D* wanted) {
  return copy_now(libcuda::copy_of(required(wanted, "pCopy")));
}

CUresult copy_3d_async(const CUDA_MEMCPY3D* wanted, CUstream stream) {
  return copy_in_stream(libcuda::copy_of(required(wanted, "pCopy")), stream);
}

CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER* wanted) {
  return copy_now(between(wanted));
}

CUresult copy_3d_peer_async(const CUDA_MEMCPY3D_PEER* wanted, CUstream stream) {
  return copy_in_stream(between(wanted), stream);
}

}  // namespace minitorch::libcuda::api
