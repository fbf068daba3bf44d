// Owns the functions that copy and fill memory, in stream order; each also carries the
// initialised bits.
#include <algorithm>
#include <cstring>

#include "emulator/driver/exports.h"
#include "emulator/driver/process.h"

namespace minitorch::emulator::driver::api {
namespace {

/// Larger pageable sources are copied in the caller's time instead of being staged.
constexpr size_t kStagedBytes = size_t{1} << 20;

Memory& memory() { return process().device.memory; }

/// Both ends of a copy; which of them are device memory decides about bits and checks.
struct Copy {
  uint64_t destination, source;
  size_t bytes;
  bool to_device, from_device;

  void perform() const {
    std::memmove(reinterpret_cast<void*>(destination), reinterpret_cast<void*>(source),
                 bytes);
    if (!to_device) return;
    if (from_device) {
      memory().copy_bits(destination, source, bytes);
    } else {
      memory().mark_written(destination, bytes);
    }
  }
  void drop(bool cancelled) const {
    if (cancelled && to_device) memory().mark_undefined(destination, bytes);
  }
};

/// Inside one allocation, as far as can be said before the work queued earlier is done.
void check_device_range(uint64_t address, size_t bytes, const char* what) {
  require(memory().holds(address, bytes), CUDA_ERROR_INVALID_VALUE, "got ", bytes,
          " bytes at ", what, " 0x", std::hex, address,
          "; need a range inside one live allocation.");
}

/// The same with the extents of now, in the stream's turn.
void check_extent(uint64_t address, size_t bytes, const char* what) {
  const auto table = memory().table();
  const Allocation* found = table->find(address);
  require(found != nullptr && found->live && address + bytes <= found->end(),
          CUDA_ERROR_INVALID_VALUE, "got ", bytes, " bytes at ", what, " 0x", std::hex,
          address, "; need a range inside one live allocation.");
}

void check(const Copy& copy) {
  if (copy.to_device) check_device_range(copy.destination, copy.bytes, "destination");
  if (copy.from_device) check_device_range(copy.source, copy.bytes, "source");
  require(copy.destination != 0 && copy.source != 0, CUDA_ERROR_INVALID_VALUE,
          "got null for a host pointer; need memory.");
}

/// In the stream's turn, on the calling thread.
CUresult copy_here(const Copy& copy, const std::shared_ptr<Stream>& stream) {
  if (copy.bytes == 0) return CUDA_SUCCESS;
  check(copy);
  CUresult result = CUDA_SUCCESS;
  stream->context->queues().run_here(stream->queue, [&] {
    result = stream->context->sync_result();
    if (result != CUDA_SUCCESS) return;
    if (copy.to_device) check_extent(copy.destination, copy.bytes, "destination");
    if (copy.from_device) check_extent(copy.source, copy.bytes, "source");
    copy.perform();
  });
  return result;
}

CUresult copy_queued(const Copy& copy, const std::shared_ptr<Stream>& stream) {
  if (copy.bytes == 0) return CUDA_SUCCESS;
  check(copy);
  stream->context->queues().submit(stream->queue,
                                   {[copy] { copy.perform(); },
                                    [copy](bool cancelled) { copy.drop(cancelled); },
                                    {}});
  return CUDA_SUCCESS;
}

/// The caller may change the source at once: its bytes are kept with the operation.
CUresult copy_staged(const Copy& copy, const std::shared_ptr<Stream>& stream) {
  if (copy.bytes == 0) return CUDA_SUCCESS;
  check(copy);
  const auto* first = reinterpret_cast<const uint8_t*>(copy.source);
  auto bytes = std::make_shared<std::vector<uint8_t>>(first, first + copy.bytes);
  Copy staged = copy;
  staged.source = reinterpret_cast<uint64_t>(bytes->data());
  stream->context->queues().submit(
      stream->queue, {[staged, bytes] { staged.perform(); },
                      [staged](bool cancelled) { staged.drop(cancelled); },
                      {}});
  return CUDA_SUCCESS;
}

/// Host memory that stays where it is until the client frees or unregisters it.
bool pinned(uint64_t address, size_t bytes) {
  if (memory().contains(address)) return true;
  std::lock_guard lock(process().registered_mutex);
  auto after = process().registered.upper_bound(address);
  if (after == process().registered.begin()) return false;
  const auto& [base, size] = *std::prev(after);
  return address + bytes <= base + size;
}

CUresult copy_in_stream(const Copy& copy, CUstream handle) {
  const auto stream = stream_of(handle);
  require(stream->context->call_result() == CUDA_SUCCESS,
          stream->context->call_result(), "an earlier kernel failed in this context.");
  if (copy.to_device && copy.from_device) return copy_queued(copy, stream);
  const uint64_t host = copy.to_device ? copy.source : copy.destination;
  if (pinned(host, copy.bytes)) return copy_queued(copy, stream);
  if (copy.to_device && copy.bytes <= kStagedBytes) return copy_staged(copy, stream);
  return copy_here(copy, stream);
}

Copy host_to_device(CUdeviceptr destination, const void* source, size_t bytes) {
  return {destination, reinterpret_cast<uint64_t>(source), bytes, true, false};
}

Copy device_to_host(void* destination, CUdeviceptr source, size_t bytes) {
  return {reinterpret_cast<uint64_t>(destination), source, bytes, false, true};
}

/// Unified addresses: each end is what its address says.
Copy unified(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  return {destination, source, bytes, memory().contains(destination),
          memory().contains(source)};
}

template <class Element>
CUresult fill(CUdeviceptr pointer, Element value, size_t count, CUstream handle) {
  current_context();
  const auto stream = stream_of(handle);
  require(pointer % sizeof(Element) == 0, CUDA_ERROR_INVALID_VALUE, "got 0x", std::hex,
          pointer, "; need an address that is a multiple of ", sizeof(Element), ".");
  if (count == 0) return CUDA_SUCCESS;
  require(count <= memory().capacity(), CUDA_ERROR_INVALID_VALUE, "got ", count,
          " elements; need a range inside one live allocation.");
  const size_t bytes = count * sizeof(Element);
  check_device_range(pointer, bytes, "destination");
  const auto run = [=] {
    std::fill_n(reinterpret_cast<Element*>(pointer), count, value);
    memory().mark_written(pointer, bytes);
  };
  const auto drop = [=](bool cancelled) {
    if (cancelled) memory().mark_undefined(pointer, bytes);
  };
  stream->context->queues().submit(stream->queue, {run, drop, {}});
  return CUDA_SUCCESS;
}

}  // namespace

CUresult copy(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  current_context();
  return copy_here(unified(destination, source, bytes), stream_of(nullptr));
}

CUresult copy_htod(CUdeviceptr destination, const void* source, size_t bytes) {
  current_context();
  return copy_here(host_to_device(destination, source, bytes), stream_of(nullptr));
}

CUresult copy_dtoh(void* destination, CUdeviceptr source, size_t bytes) {
  current_context();
  return copy_here(device_to_host(destination, source, bytes), stream_of(nullptr));
}

CUresult copy_dtod(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  current_context();
  return copy_queued({destination, source, bytes, true, true}, stream_of(nullptr));
}

CUresult copy_async(CUdeviceptr destination, CUdeviceptr source, size_t bytes,
                    CUstream stream) {
  return copy_in_stream(unified(destination, source, bytes), stream);
}

CUresult copy_htod_async(CUdeviceptr destination, const void* source, size_t bytes,
                         CUstream stream) {
  return copy_in_stream(host_to_device(destination, source, bytes), stream);
}

CUresult copy_dtoh_async(void* destination, CUdeviceptr source, size_t bytes,
                         CUstream stream) {
  return copy_in_stream(device_to_host(destination, source, bytes), stream);
}

CUresult copy_dtod_async(CUdeviceptr destination, CUdeviceptr source, size_t bytes,
                         CUstream stream) {
  return copy_in_stream({destination, source, bytes, true, true}, stream);
}

CUresult memset_d8(CUdeviceptr pointer, unsigned char value, size_t count) {
  return fill<uint8_t>(pointer, value, count, nullptr);
}

CUresult memset_d16(CUdeviceptr pointer, unsigned short value, size_t count) {
  return fill<uint16_t>(pointer, value, count, nullptr);
}

CUresult memset_d32(CUdeviceptr pointer, unsigned int value, size_t count) {
  return fill<uint32_t>(pointer, value, count, nullptr);
}

CUresult memset_d8_async(CUdeviceptr pointer, unsigned char value, size_t count,
                         CUstream stream) {
  return fill<uint8_t>(pointer, value, count, stream);
}

CUresult memset_d16_async(CUdeviceptr pointer, unsigned short value, size_t count,
                          CUstream stream) {
  return fill<uint16_t>(pointer, value, count, stream);
}

CUresult memset_d32_async(CUdeviceptr pointer, unsigned int value, size_t count,
                          CUstream stream) {
  return fill<uint32_t>(pointer, value, count, stream);
}

}  // namespace minitorch::emulator::driver::api
