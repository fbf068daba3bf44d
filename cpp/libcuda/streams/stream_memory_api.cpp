// The functions by which a stream waits for values in memory, or writes them.
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/graphs/capture.h"
#include "libcuda/streams/host_races.h"

namespace minitorch::libcuda::api {
namespace {

enum Condition : unsigned int { kGreaterOrEqual, kEqual, kAnd, kNor };

/// How long a waiting stream sleeps between two looks.
constexpr std::chrono::microseconds kNap{50};

template <class T>
T& at(CUdeviceptr address) {
  return *reinterpret_cast<T*>(address);
}

template <class T>
bool holds(Condition condition, T value, T wanted) {
  switch (condition) {
    case kGreaterOrEqual:
      // As a number of a circle: what is up to half of it ahead.
      return static_cast<std::make_signed_t<T>>(value - wanted) >= 0;
    case kEqual:
      return value == wanted;
    case kAnd:
      return (value & wanted) != 0;
    case kNor:
      return static_cast<T>(~(value | wanted)) != 0;
  }
  return true;
}

template <class T>
void check_address(CUdeviceptr address) {
  require(address % sizeof(T) == 0 && process().device.memory.holds(address, sizeof(T)),
          CUDA_ERROR_INVALID_VALUE, "got 0x", std::hex, address, "; need ", sizeof(T),
          " aligned bytes inside one live allocation.");
}

/// Both fail, before anything is queued, for what the driver refuses.
template <class T>
Operation wait_operation(const std::shared_ptr<Stream>& stream, CUdeviceptr address,
                         T wanted, unsigned int flags) {
  require_no_capture(stream, "a value in memory");
  check_address<T>(address);
  require(flags <= kNor, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need one condition of CUstreamWaitValue_flags.");
  const auto condition = static_cast<Condition>(flags);
  const auto run = [=, context = stream->context, queue = stream->queue] {
    const auto over = [&] {
      return queue->cancel().requested() || context->fault() != CUDA_SUCCESS;
    };
    while (!holds(condition, std::atomic_ref(at<T>(address)).load(), wanted)) {
      if (over()) return;
      std::this_thread::sleep_for(kNap);
    }
  };
  // Whoever writes the value comes before what follows, and cannot be known.
  if (keeps_order()) host_races().lose_order();
  return {run, {}, {}};
}

template <class T>
Operation write_operation(const std::shared_ptr<Stream>& stream, CUdeviceptr address,
                          T value, unsigned int flags) {
  require_no_capture(stream, "a value in memory");
  check_address<T>(address);
  require(flags <= 1, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need one of CUstreamWriteValue_flags.");
  const auto run = [address, value] {
    std::atomic_ref(at<T>(address)).store(value);
    process().device.memory.mark_written(address, sizeof(T));
  };
  return {run, {}, {}};
}

template <class T>
CUresult wait_value(CUstream handle, CUdeviceptr address, T wanted,
                    unsigned int flags) {
  const auto stream = usable_stream(handle);
  stream->context->queues().submit(stream->queue,
                                   wait_operation(stream, address, wanted, flags));
  return CUDA_SUCCESS;
}

template <class T>
CUresult write_value(CUstream handle, CUdeviceptr address, T value,
                     unsigned int flags) {
  const auto stream = usable_stream(handle);
  stream->context->queues().submit(stream->queue,
                                   write_operation(stream, address, value, flags));
  return CUDA_SUCCESS;
}

/// What one entry of a batch does; without a function where it orders only what is in
/// order here anyway.
Operation batched_operation(const std::shared_ptr<Stream>& stream,
                            const CUstreamBatchMemOpParams& wanted) {
  const auto& entry = wanted.waitValue;  // a write looks the same
  switch (wanted.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      return wait_operation(stream, entry.address, entry.value, entry.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return wait_operation(stream, entry.address, entry.value64, entry.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return write_operation(stream, entry.address, entry.value, entry.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return write_operation(stream, entry.address, entry.value64, entry.flags);
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
    case CU_STREAM_MEM_OP_BARRIER:
      return {};
    default:
      fail(CUDA_ERROR_INVALID_VALUE, "got operation ", wanted.operation,
           "; need a wait, a write, a flush or a barrier of CUstreamBatchMemOpType.");
  }
}

}  // namespace

CUresult stream_wait_value_32(CUstream stream, CUdeviceptr address, uint32_t value,
                              unsigned int flags) {
  return wait_value(stream, address, value, flags);
}

CUresult stream_wait_value_64(CUstream stream, CUdeviceptr address, uint64_t value,
                              unsigned int flags) {
  return wait_value(stream, address, value, flags);
}

CUresult stream_write_value_32(CUstream stream, CUdeviceptr address, uint32_t value,
                               unsigned int flags) {
  return write_value(stream, address, value, flags);
}

CUresult stream_write_value_64(CUstream stream, CUdeviceptr address, uint64_t value,
                               unsigned int flags) {
  return write_value(stream, address, value, flags);
}

CUresult stream_batch_mem_op(CUstream handle, unsigned int count,
                             CUstreamBatchMemOpParams* wanted, unsigned int flags) {
  constexpr unsigned int kMost = 256;
  const auto stream = usable_stream(handle);
  require(count <= kMost, CUDA_ERROR_INVALID_VALUE, "got ", count,
          " operations; need at most ", kMost, ".");
  require(flags == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0.");
  if (count > 0) required(wanted, "paramArray");
  std::vector<Operation> operations;
  for (unsigned int i = 0; i < count; ++i) {
    operations.push_back(batched_operation(stream, wanted[i]));
  }
  for (Operation& operation : operations) {
    if (operation.run == nullptr) continue;
    stream->context->queues().submit(stream->queue, std::move(operation));
  }
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api
