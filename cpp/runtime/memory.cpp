#include "runtime/memory.h"

#include "runtime/capture.h"
#include "runtime/findings.h"
#include "runtime/launch_site.h"
#include "runtime/run_ahead.h"
#include "runtime/stream.h"
#include "runtime/work_note.h"

namespace minitorch::runtime {
namespace {

constexpr const char* kWhere = "memory";
constexpr const char* kCopyFromPinned =
    "Make the array before the capture and write into it before each replay "
    "(x.copy_(new)), or copy from cuda.pinned_array.";

// Drivers keep a copy of so much pageable memory and return; for more they wait.
constexpr size_t kStagedBytes = size_t{64} << 10;
// Of these copies, so many bytes count as a piece of work: a full queue keeps 7 MiB.
constexpr size_t kStagedPiece = size_t{8} << 10;

// The stream to use on `device`: the current one belongs to the current device.
CUstream stream_for(Device& device) {
  return &device == &current_device() ? current_stream() : nullptr;
}

uint64_t pool_for(Device& device) {
  return &device == &current_device() ? capture_pool() : 0;
}

// A copy may report the fault of a kernel before it.
void check_copy(Device& device, CUresult result) {
  if (result == CUDA_SUCCESS) return;
  refuse_capture_error(device, result);
  raise_findings(device, result);
  device.api().check(result, kWhere);
}

// Says for findings where the program asks for the copy that follows: only beside other
// streams can there be one.
void tell_site(Device& device) {
  if (!device.emulated() || device.streams().empty()) return;
  cuda_client::Api& api = device.api();
  api.make_current();
  MtLaunchOptions options;
  api.check(api.inspect_launch_options(&options), kWhere);
  options.tag = (options.tag & ~kTagMask) | launch_tag();
  api.check(api.inspect_set_launch_options(&options), kWhere);
}

void copy_and_wait(Device& device, CUstream stream, void* destination,
                   CUdeviceptr source, size_t bytes, WaitReason reason) {
  const Wait wait(reason);
  synchronize_stream(device, stream_for(device), reason);
  if (bytes == 0) return;
  if (!device.streams().empty()) wait_for_turn(device, stream, reason);
  tell_site(device);
  WorkNote note(device, stream, WorkKind::Copy);
  note.moves(bytes, Direction::DeviceToHost, false);
  check_copy(device,
             device.api().memcpy_dtoh_async(destination, source, bytes, stream));
  note.queued();
  synchronize_stream(device, stream, reason);
}

}  // namespace

void use_on_current_stream(CUdeviceptr pointer) {
  current_device().allocator()->used_on(pointer, current_stream(), capture_pool());
}

std::shared_ptr<cuda_client::Buffer> allocate(size_t bytes) {
  return allocate(current_device(), bytes);
}

std::shared_ptr<cuda_client::Buffer> allocate(Device& device, size_t bytes) {
  return with_findings(device, [&] {
    return std::make_shared<cuda_client::Buffer>(device.allocator(), bytes,
                                                 stream_for(device), pool_for(device));
  });
}

void copy_to_device(CUdeviceptr destination, const void* source, size_t bytes) {
  copy_to_device(current_device(), destination, source, bytes);
}

void copy_to_device(Device& device, CUdeviceptr destination, const void* source,
                    size_t bytes) {
  if (bytes == 0) return;
  require_no_capture("a copy from pageable host memory", kCopyFromPinned);
  cuda_client::Api& api = device.api();
  const CUstream stream = stream_for(device);
  if (bytes > kStagedBytes) {
    wait_for_turn(device, stream, WaitReason::Copy);
  } else {
    limit_run_ahead(device, stream, 1 + static_cast<unsigned>(bytes / kStagedPiece));
  }
  api.make_current();
  device.allocator()->used_on(destination, stream, pool_for(device));
  tell_site(device);
  WorkNote note(device, stream, WorkKind::Copy);
  note.moves(bytes, Direction::HostToDevice, false);
  // From pageable memory the driver has read `source` when the call returns.
  check_copy(device, api.memcpy_htod_async(destination, source, bytes, stream));
  note.queued();
}

void copy_to_host(void* destination, CUdeviceptr source, size_t bytes,
                  WaitReason reason) {
  copy_to_host(current_device(), destination, source, bytes, reason);
}

void copy_to_host(Device& device, void* destination, CUdeviceptr source, size_t bytes,
                  WaitReason reason) {
  // On the default stream, which waits for others too.
  copy_and_wait(device, nullptr, destination, source, bytes, reason);
}

void copy_to_host_in_stream(void* destination, CUdeviceptr source, size_t bytes) {
  copy_and_wait(current_device(), current_stream(), destination, source, bytes,
                WaitReason::Copy);
}

void queue_copy_to_device(CUdeviceptr destination, const void* source, size_t bytes) {
  if (bytes == 0) return;
  Device& device = current_device();
  limit_run_ahead(device, current_stream());
  device.api().make_current();
  use_on_current_stream(destination);
  tell_site(device);
  WorkNote note(device, current_stream(), WorkKind::Copy);
  note.moves(bytes, Direction::HostToDevice, true);
  check_copy(device, device.api().memcpy_htod_async(destination, source, bytes,
                                                    current_stream()));
  note.queued();
}

void queue_copy_to_host(void* destination, CUdeviceptr source, size_t bytes) {
  if (bytes == 0) return;
  Device& device = current_device();
  limit_run_ahead(device, current_stream());
  device.api().make_current();
  use_on_current_stream(source);
  tell_site(device);
  WorkNote note(device, current_stream(), WorkKind::Copy);
  note.moves(bytes, Direction::DeviceToHost, true);
  check_copy(device, device.api().memcpy_dtoh_async(destination, source, bytes,
                                                    current_stream()));
  note.queued();
}

void copy_on_device(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  if (bytes == 0) return;
  Device& device = current_device();
  limit_run_ahead(device, current_stream());
  device.api().make_current();
  use_on_current_stream(destination);
  use_on_current_stream(source);
  tell_site(device);
  WorkNote note(device, current_stream(), WorkKind::Copy);
  note.moves(bytes, Direction::OnDevice, false);
  check_copy(device, device.api().memcpy_dtod_async(destination, source, bytes,
                                                    current_stream()));
  note.queued();
}

void fill_bytes(CUdeviceptr destination, unsigned char value, size_t bytes) {
  if (bytes == 0) return;
  Device& device = current_device();
  limit_run_ahead(device, current_stream());
  device.api().make_current();
  use_on_current_stream(destination);
  tell_site(device);
  WorkNote note(device, current_stream(), WorkKind::Fill);
  note.moves(bytes, Direction::None, false);
  check_copy(device,
             device.api().memset_d8_async(destination, value, bytes, current_stream()));
  note.queued();
}

}  // namespace minitorch::runtime
