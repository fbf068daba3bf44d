// The inspection functions about records: of launches, take and release; of when work
// ran.
#include <map>
#include <mutex>

#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/inspect/work_times.h"

namespace minitorch::libcuda::api {
namespace {

/// Records that clients hold, so that a wrong pointer is refused.
struct TakenRecords {
  std::mutex mutex;
  std::map<const MtLaunch*, std::unique_ptr<LaunchRecord>> records;
};

TakenRecords& taken() {
  static TakenRecords* const records = new TakenRecords;  // clients outlive statics
  return *records;
}

}  // namespace

CUresult take_launch(const MtLaunch** launch) {
  required(launch, "launch") = nullptr;
  auto record = current_context_even_faulted()->records().take();
  if (record == nullptr) return CUDA_SUCCESS;
  const MtLaunch* const view = &record->view();
  std::lock_guard lock(taken().mutex);
  taken().records.emplace(view, std::move(record));
  *launch = view;
  return CUDA_SUCCESS;
}

CUresult release_launch(const MtLaunch* launch) {
  std::unique_ptr<LaunchRecord> record;
  {
    std::lock_guard lock(taken().mutex);
    const auto found = taken().records.find(launch);
    require(found != taken().records.end(), CUDA_ERROR_INVALID_VALUE,
            "got a record that is not held; need one from mtTakeLaunch, released "
            "once.");
    record = std::move(found->second);
    taken().records.erase(found);
  }
  return CUDA_SUCCESS;
}

CUresult set_work_times(int32_t on) {
  libcuda::set_work_times(on != 0);
  return CUDA_SUCCESS;
}

CUresult set_correlation(uint64_t correlation) {
  thread_state().correlation = correlation;
  return CUDA_SUCCESS;
}

CUresult exchange_bookkeeping(int32_t* on) {
  int32_t& wanted = required(on, "on");
  wanted = set_bookkeeping(wanted != 0) ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult take_work_times(MtWorkTime* times, uint32_t capacity, uint32_t* count,
                         uint64_t* dropped) {
  uint32_t& taken = required(count, "count");
  if (capacity > 0) required(times, "times");
  taken = libcuda::take_work_times(times, capacity, dropped);
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api
