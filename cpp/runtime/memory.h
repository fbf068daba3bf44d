// Device memory of the current device as arrays need it: allocate, copy, fill.
#pragma once

#include <cstddef>
#include <memory>

#include "cuda_client/buffer.h"
#include "runtime/stream.h"

namespace minitorch::runtime {

/// Never-written memory on the current stream; 0 bytes are allowed.
std::shared_ptr<cuda_client::Buffer> allocate(size_t bytes);
std::shared_ptr<cuda_client::Buffer> allocate(Device& device, size_t bytes);

/// Work that is about to be queued on the current stream uses the memory at `pointer`:
/// once freed, it is not used anew before that work is done. Copies and fills say so
/// themselves, whoever launches a kernel says it for each of its arrays.
void use_on_current_stream(CUdeviceptr pointer);

/// Queues a copy on the current stream; `source` may be changed after the return.
void copy_to_device(CUdeviceptr destination, const void* source, size_t bytes);

/// Waits for the current stream (interruptible), copies in the default stream, which
/// waits for others, and raises pending faults. `reason` says for whom.
void copy_to_host(void* destination, CUdeviceptr source, size_t bytes,
                  WaitReason reason);

/// Waits for the current stream's work alone, and copies in that stream: what others do
/// with the same memory at that time is not waited for.
void copy_to_host_in_stream(void* destination, CUdeviceptr source, size_t bytes);

/// Queue copies on the current stream. The host memory is page-locked, and stays as it
/// is until the stream has come to the copy.
void queue_copy_to_device(CUdeviceptr destination, const void* source, size_t bytes);
void queue_copy_to_host(void* destination, CUdeviceptr source, size_t bytes);

/// Queue on the current stream.
void copy_on_device(CUdeviceptr destination, CUdeviceptr source, size_t bytes);
void fill_bytes(CUdeviceptr destination, unsigned char value, size_t bytes);

// The same on a device that is not the current one.
void copy_to_device(Device& device, CUdeviceptr destination, const void* source,
                    size_t bytes);
void copy_to_host(Device& device, void* destination, CUdeviceptr source, size_t bytes,
                  WaitReason reason);

}  // namespace minitorch::runtime
