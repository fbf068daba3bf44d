// Copies and fills.
#include "cudart/api.h"
#include "cudart/binaries.h"
#include "cudart/call.h"
#include "cudart/driver.h"
#include "cudart/memory.h"
#include "cudart/report.h"

namespace minitorch::cudart {
namespace {

CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

bool to_device(int kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}
bool from_device(int kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

/// Replaces cudaMemcpyDefault, and refuses a kind that contradicts the pointers. That
/// memory of the host was meant as the device's is left to the driver: it may as well
/// be the device's and freed.
int resolve_kind(const char* symbol, const void* to, const void* from, int* kind) {
  if (*kind < cudaMemcpyHostToHost || *kind > cudaMemcpyDefault)
    return refuse(cudaErrorInvalidMemcpyDirection);
  Memory target, source;
  int result = memory_of(to, &target);
  if (result == 0) result = memory_of(from, &source);
  if (result != 0) return result;
  const auto on_device = [](Memory memory) {
    return memory == Memory::Device || memory == Memory::Managed;
  };
  if (*kind == cudaMemcpyDefault) {
    *kind =
        on_device(from == nullptr ? Memory::Unknown : source)
            ? (on_device(target) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost)
            : (on_device(target) ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost);
    return 0;
  }
  const bool wrong_target = !to_device(*kind) && target == Memory::Device;
  const bool wrong_source = !from_device(*kind) && source == Memory::Device;
  if (!wrong_target && !wrong_source) return 0;
  report_direction(symbol, *kind,
                   !wrong_source   ? "the destination is memory of the device"
                   : !wrong_target ? "the source is memory of the device"
                                   : "both pointers are memory of the device");
  return refuse(cudaErrorInvalidValue);
}

int copy_bytes(const char* symbol, void* to, const void* from, size_t bytes, int kind) {
  const int result = resolve_kind(symbol, to, from, &kind);
  if (result != 0 || bytes == 0) return result;
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return driver().memcpy_htod(address_of(to), from, bytes);
    case cudaMemcpyDeviceToHost:
      return driver().memcpy_dtoh(to, address_of(from), bytes);
    case cudaMemcpyDeviceToDevice:
      return driver().memcpy_dtod(address_of(to), address_of(from), bytes);
    default:
      return driver().memcpy(address_of(to), address_of(from), bytes);
  }
}

int copy_bytes_async(const char* symbol, void* to, const void* from, size_t bytes,
                     int kind, CUstream stream) {
  const int result = resolve_kind(symbol, to, from, &kind);
  if (result != 0 || bytes == 0) return result;
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return driver().memcpy_htod_async(address_of(to), from, bytes, stream);
    case cudaMemcpyDeviceToHost:
      return driver().memcpy_dtoh_async(to, address_of(from), bytes, stream);
    case cudaMemcpyDeviceToDevice:
      return driver().memcpy_dtod_async(address_of(to), address_of(from), bytes,
                                        stream);
    default:
      return driver().memcpy_async(address_of(to), address_of(from), bytes, stream);
  }
}

/// A copy of rows as one of boxes with a depth of one.
cudart_copy_3d copy_of_rows(void* to, size_t to_pitch, const void* from,
                            size_t from_pitch, size_t width, size_t height, int kind) {
  cudart_copy_3d copy{};
  copy.dstPtr = {to, to_pitch, width, height};
  copy.srcPtr = {const_cast<void*>(from), from_pitch, width, height};
  copy.extent = {width, height, 1};
  copy.kind = kind;
  return copy;
}

/// Finds a symbol's bytes [offset, offset + count).
int find_bytes(const void* symbol, size_t count, size_t offset, void** found) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  const int result = find_variable(symbol, &address, &bytes);
  if (result != 0) return result;
  if (offset > bytes || count > bytes - offset) return refuse(cudaErrorInvalidValue);
  *found = reinterpret_cast<void*>(address + offset);
  return 0;
}

}  // namespace

int describe_copy(const char* symbol, const cudart_copy_3d& copy, CUDA_MEMCPY3D* out) {
  if (copy.srcArray != nullptr || copy.dstArray != nullptr) {
    return absent("cudaMemcpy3D with an array");
  }
  const auto& [width, height, depth] = copy.extent;
  if (width > 0 && (copy.dstPtr.pitch < width || copy.srcPtr.pitch < width) &&
      height * depth > 1)
    return refuse(cudaErrorInvalidPitchValue);
  int kind = copy.kind;
  const int result = resolve_kind(symbol, copy.dstPtr.ptr, copy.srcPtr.ptr, &kind);
  if (result != 0) return result;
  *out = {};
  out->srcXInBytes = copy.srcPos.x;
  out->srcY = copy.srcPos.y;
  out->srcZ = copy.srcPos.z;
  out->srcMemoryType = from_device(kind) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  out->srcHost = copy.srcPtr.ptr;
  out->srcDevice = address_of(copy.srcPtr.ptr);
  out->srcPitch = copy.srcPtr.pitch;
  out->srcHeight = copy.srcPtr.ysize;
  out->dstXInBytes = copy.dstPos.x;
  out->dstY = copy.dstPos.y;
  out->dstZ = copy.dstPos.z;
  out->dstMemoryType = to_device(kind) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  out->dstHost = copy.dstPtr.ptr;
  out->dstDevice = address_of(copy.dstPtr.ptr);
  out->dstPitch = copy.dstPtr.pitch;
  out->dstHeight = copy.dstPtr.ysize;
  out->WidthInBytes = width;
  out->Height = height;
  out->Depth = depth;
  return 0;
}

int describe_copy(const char* symbol, void* to, const void* from, size_t bytes,
                  int kind, CUDA_MEMCPY3D* out) {
  return describe_copy(symbol, copy_of_rows(to, bytes, from, bytes, bytes, 1, kind),
                       out);
}

namespace api {

int copy(void* to, const void* from, size_t bytes, int kind) {
  return copy_bytes("cudaMemcpy", to, from, bytes, kind);
}

int copy_async(void* to, const void* from, size_t bytes, int kind, CUstream stream) {
  return copy_bytes_async("cudaMemcpyAsync", to, from, bytes, kind, stream);
}

int copy_3d(const cudart_copy_3d* copy) {
  if (copy == nullptr) return refuse(cudaErrorInvalidValue);
  CUDA_MEMCPY3D described;
  const int result = describe_copy("cudaMemcpy3D", *copy, &described);
  return result != 0 ? result : static_cast<int>(driver().memcpy_3d(&described));
}

int copy_3d_async(const cudart_copy_3d* copy, CUstream stream) {
  if (copy == nullptr) return refuse(cudaErrorInvalidValue);
  CUDA_MEMCPY3D described;
  const int result = describe_copy("cudaMemcpy3DAsync", *copy, &described);
  return result != 0 ? result
                     : static_cast<int>(driver().memcpy_3d_async(&described, stream));
}

int copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch,
            size_t width, size_t height, int kind) {
  CUDA_MEMCPY3D described;
  const int result = describe_copy(
      "cudaMemcpy2D", copy_of_rows(to, to_pitch, from, from_pitch, width, height, kind),
      &described);
  return result != 0 ? result : static_cast<int>(driver().memcpy_3d(&described));
}

int copy_2d_async(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                  size_t width, size_t height, int kind, CUstream stream) {
  CUDA_MEMCPY3D described;
  const int result = describe_copy(
      "cudaMemcpy2DAsync",
      copy_of_rows(to, to_pitch, from, from_pitch, width, height, kind), &described);
  return result != 0 ? result
                     : static_cast<int>(driver().memcpy_3d_async(&described, stream));
}

int copy_peer(void* to, int, const void* from, int, size_t bytes) {
  return copy_bytes("cudaMemcpyPeer", to, from, bytes, cudaMemcpyDeviceToDevice);
}

int copy_peer_async(void* to, int, const void* from, int, size_t bytes,
                    CUstream stream) {
  return copy_bytes_async("cudaMemcpyPeerAsync", to, from, bytes,
                          cudaMemcpyDeviceToDevice, stream);
}

int copy_to_symbol(const void* symbol, const void* from, size_t count, size_t offset,
                   int kind) {
  void* to = nullptr;
  const int result = find_bytes(symbol, count, offset, &to);
  return result != 0 ? result : copy_bytes("cudaMemcpyToSymbol", to, from, count, kind);
}

int copy_to_symbol_async(const void* symbol, const void* from, size_t count,
                         size_t offset, int kind, CUstream stream) {
  void* to = nullptr;
  const int result = find_bytes(symbol, count, offset, &to);
  return result != 0 ? result
                     : copy_bytes_async("cudaMemcpyToSymbolAsync", to, from, count,
                                        kind, stream);
}

int copy_from_symbol(void* to, const void* symbol, size_t count, size_t offset,
                     int kind) {
  void* from = nullptr;
  const int result = find_bytes(symbol, count, offset, &from);
  return result != 0 ? result
                     : copy_bytes("cudaMemcpyFromSymbol", to, from, count, kind);
}

int copy_from_symbol_async(void* to, const void* symbol, size_t count, size_t offset,
                           int kind, CUstream stream) {
  void* from = nullptr;
  const int result = find_bytes(symbol, count, offset, &from);
  return result != 0 ? result
                     : copy_bytes_async("cudaMemcpyFromSymbolAsync", to, from, count,
                                        kind, stream);
}

int symbol_address(void** address, const void* symbol) {
  if (address == nullptr) return refuse(cudaErrorInvalidValue);
  return find_bytes(symbol, 0, 0, address);
}

int symbol_size(size_t* bytes, const void* symbol) {
  CUdeviceptr address = 0;
  if (bytes == nullptr) return refuse(cudaErrorInvalidValue);
  return find_variable(symbol, &address, bytes);
}

int fill(void* pointer, int value, size_t bytes) {
  if (bytes == 0) return 0;
  return driver().memset_d8(address_of(pointer), static_cast<unsigned char>(value),
                            bytes);
}

int fill_async(void* pointer, int value, size_t bytes, CUstream stream) {
  if (bytes == 0) return 0;
  return driver().memset_d8_async(address_of(pointer),
                                  static_cast<unsigned char>(value), bytes, stream);
}

int fill_2d(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  if (width * height == 0) return 0;
  return driver().memset_2d(address_of(pointer), pitch,
                            static_cast<unsigned char>(value), width, height);
}

int fill_2d_async(void* pointer, size_t pitch, int value, size_t width, size_t height,
                  CUstream stream) {
  if (width * height == 0) return 0;
  return driver().memset_2d_async(address_of(pointer), pitch,
                                  static_cast<unsigned char>(value), width, height,
                                  stream);
}

/// Slice by slice: a slice has ysize rows, of which `extent.height` are filled.
int fill_3d(cudart_pitched box, int value, cudart_extent extent) {
  int result = 0;
  for (size_t z = 0; z < extent.depth && result == 0; ++z)
    result = fill_2d(static_cast<char*>(box.ptr) + z * box.pitch * box.ysize, box.pitch,
                     value, extent.width, extent.height);
  return result;
}

int fill_3d_async(cudart_pitched box, int value, cudart_extent extent,
                  CUstream stream) {
  int result = 0;
  for (size_t z = 0; z < extent.depth && result == 0; ++z)
    result = fill_2d_async(static_cast<char*>(box.ptr) + z * box.pitch * box.ysize,
                           box.pitch, value, extent.width, extent.height, stream);
  return result;
}

}  // namespace api
}  // namespace minitorch::cudart
