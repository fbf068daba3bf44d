// Owns the functions by which a stream waits for a value in memory, or writes one.
#include <atomic>
#include <thread>

#include "emulator/driver/capture.h"
#include "emulator/driver/exports.h"
#include "emulator/driver/host_races.h"
#include "emulator/driver/process.h"

namespace minitorch::emulator::driver::api {
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

template <class T>
CUresult wait_value(CUstream handle, CUdeviceptr address, T wanted,
                    unsigned int flags) {
  const auto stream = usable_stream(handle);
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
  stream->context->queues().submit(stream->queue, {run, {}, {}});
  return CUDA_SUCCESS;
}

template <class T>
CUresult write_value(CUstream handle, CUdeviceptr address, T value,
                     unsigned int flags) {
  const auto stream = usable_stream(handle);
  require_no_capture(stream, "a value in memory");
  check_address<T>(address);
  require(flags <= 1, CUDA_ERROR_INVALID_VALUE, "got flags ", flags,
          "; need one of CUstreamWriteValue_flags.");
  const auto run = [address, value] {
    std::atomic_ref(at<T>(address)).store(value);
    process().device.memory.mark_written(address, sizeof(T));
  };
  stream->context->queues().submit(stream->queue, {run, {}, {}});
  return CUDA_SUCCESS;
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

}  // namespace minitorch::emulator::driver::api
