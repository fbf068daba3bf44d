// The functions that fill memory with one value.
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/capture.h"

namespace minitorch::libcuda::api {
namespace {

CUresult fill(const FillWork& work, CUstream handle) {
  current_context();
  const auto stream = usable_stream(handle);
  check(work);
  if (!work.empty()) enqueue(stream, work);
  return CUDA_SUCCESS;
}

/// Waits where the client can see the memory: host memory is filled on return.
CUresult fill_now(FillWork work) {
  work.in_call = true;
  const CUresult result = fill(work, nullptr);
  const auto table = process().device.memory.table();
  const Allocation* target = table->find(work.address);
  if (target != nullptr && target->kind == Allocation::Kind::Host)
    return stream_synchronize(nullptr);
  return result;
}

}  // namespace

CUresult memset_d8(CUdeviceptr pointer, unsigned char value, size_t count) {
  return fill_now({pointer, 0, value, 1, count, 1});
}

CUresult memset_d16(CUdeviceptr pointer, unsigned short value, size_t count) {
  return fill_now({pointer, 0, value, 2, count, 1});
}

CUresult memset_d32(CUdeviceptr pointer, unsigned int value, size_t count) {
  return fill_now({pointer, 0, value, 4, count, 1});
}

CUresult memset_d8_async(CUdeviceptr pointer, unsigned char value, size_t count,
                         CUstream stream) {
  return fill({pointer, 0, value, 1, count, 1}, stream);
}

CUresult memset_d16_async(CUdeviceptr pointer, unsigned short value, size_t count,
                          CUstream stream) {
  return fill({pointer, 0, value, 2, count, 1}, stream);
}

CUresult memset_d32_async(CUdeviceptr pointer, unsigned int value, size_t count,
                          CUstream stream) {
  return fill({pointer, 0, value, 4, count, 1}, stream);
}

CUresult memset_2d8(CUdeviceptr pointer, size_t pitch, unsigned char value,
                    size_t width, size_t height) {
  return fill_now({pointer, pitch, value, 1, width, height});
}

CUresult memset_2d16(CUdeviceptr pointer, size_t pitch, unsigned short value,
                     size_t width, size_t height) {
  return fill_now({pointer, pitch, value, 2, width, height});
}

CUresult memset_2d32(CUdeviceptr pointer, size_t pitch, unsigned int value,
                     size_t width, size_t height) {
  return fill_now({pointer, pitch, value, 4, width, height});
}

CUresult memset_2d8_async(CUdeviceptr pointer, size_t pitch, unsigned char value,
                          size_t width, size_t height, CUstream stream) {
  return fill({pointer, pitch, value, 1, width, height}, stream);
}

CUresult memset_2d16_async(CUdeviceptr pointer, size_t pitch, unsigned short value,
                           size_t width, size_t height, CUstream stream) {
  return fill({pointer, pitch, value, 2, width, height}, stream);
}

CUresult memset_2d32_async(CUdeviceptr pointer, size_t pitch, unsigned int value,
                           size_t width, size_t height, CUstream stream) {
  return fill({pointer, pitch, value, 4, width, height}, stream);
}

}  // namespace minitorch::libcuda::api
