// The inspection functions (mt*): findings, options of the thread's launches, extents,
// cancel.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/text.h"
#include "findings/kinds.h"
#include "libcuda/contexts/process.h"
#include "libcuda/exports/exports.h"
#include "libcuda/inspect/print_sink.h"
#include "libcuda/streams/host_races.h"

namespace minitorch::libcuda {
namespace {

constexpr int kInspectVersion = 4000;  // 4.0

/// Kinds after which hardware goes on, as bits.
uint64_t tolerable() {
  uint64_t kinds = 0;
  for (int32_t kind = 0; kind < MtFinding_Count; ++kind) {
    if (findings::is_tolerable(kind)) kinds |= uint64_t{1} << kind;
  }
  return kinds;
}

struct PrintSink {
  std::mutex mutex;
  MtPrintCallback print = nullptr;
  void* user = nullptr;
};

PrintSink& print_sink() {
  static PrintSink* const sink =
      new PrintSink;  // streams may print while the process ends
  return *sink;
}

/// Queues a change of the memory's bookkeeping. It is made even when the work around it
/// is dropped: the client's allocator counts on it.
void submit_change(CUstream handle, const std::function<void()>& change) {
  const auto stream = stream_of(handle);
  const Bookkeeping own;
  stream->context->queues().submit(stream->queue,
                                   {change, [change](bool) { change(); }, {}, true});
}

void check_base(CUdeviceptr pointer, size_t bytes) {
  const uint64_t reserved = device_memory().reserved(pointer);
  require(reserved != 0 && bytes <= reserved, CUDA_ERROR_INVALID_VALUE, "got ", bytes,
          " bytes at 0x", std::hex, pointer, std::dec,
          "; need the start of an allocation and at most its ", reserved, " bytes.");
}

}  // namespace

void set_print_sink(MtPrintCallback print, void* user) {
  std::lock_guard lock(print_sink().mutex);
  print_sink().print = print;
  print_sink().user = user;
}

void print_text(const std::string& text) {
  MtPrintCallback print = nullptr;
  void* user = nullptr;
  {
    std::lock_guard lock(print_sink().mutex);
    print = print_sink().print;
    user = print_sink().user;
  }
  if (print != nullptr) return print(text.data(), text.size(), user);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

namespace api {

CUresult inspect_version(int* version) {
  required(version, "version") = kInspectVersion;
  return CUDA_SUCCESS;
}

CUresult last_message(const char** text) {
  required(text, "text") = thread_state().message.c_str();
  return CUDA_SUCCESS;
}

CUresult take_findings(MtFinding* findings, uint32_t capacity, uint32_t* count) {
  const auto taken = current_context_even_faulted()->take_findings();
  if (count != nullptr) *count = static_cast<uint32_t>(taken.size());
  const size_t fits = std::min<size_t>(capacity, taken.size());
  if (fits > 0) std::copy_n(taken.begin(), fits, &required(findings, "findings"));
  return CUDA_SUCCESS;
}

CUresult finding_count(uint32_t* count) {
  required(count, "count") =
      static_cast<uint32_t>(current_context_even_faulted()->finding_count());
  return CUDA_SUCCESS;
}

CUresult launch_options(MtLaunchOptions* options) {
  required(options, "options") = thread_state().options;
  return CUDA_SUCCESS;
}

CUresult set_launch_options(const MtLaunchOptions* options) {
  const MtLaunchOptions& wanted = required(options, "options");
  const uint64_t refused = wanted.tolerated & ~tolerable();
  require(refused == 0, CUDA_ERROR_INVALID_VALUE, "got kind ",
          findings::kind_name(static_cast<int32_t>(std::countr_zero(refused))),
          " to tolerate; need kinds after which a kernel goes on: uninit_*, race_*, "
          "div_by_zero, warp_sync, barrier_divergence.");
  const MtTraceFilter& filter = wanted.trace_filter;
  require(filter.block_count <= MtTraceFilter::kMostBlocks, CUDA_ERROR_INVALID_VALUE,
          "got ", filter.block_count, " blocks to trace; need at most ",
          MtTraceFilter::kMostBlocks, ".");
  thread_state().options = wanted;
  if ((wanted.checks & MtCheck_Race) != 0) begin_order();
  return CUDA_SUCCESS;
}

CUresult label_allocation(CUdeviceptr pointer, const char* label) {
  constexpr size_t kMost = sizeof MtFinding::allocation_label - 1;
  const std::string name(base::first_bytes(&required(label, "label"), kMost));
  require(device_memory().set_label(pointer, name), CUDA_ERROR_INVALID_VALUE, "got 0x",
          std::hex, pointer, "; need a pointer into a live allocation.");
  return CUDA_SUCCESS;
}

CUresult mark_undefined(CUdeviceptr pointer, size_t bytes, CUstream stream) {
  require(device_memory().holds(pointer, bytes), CUDA_ERROR_INVALID_VALUE, "got ",
          bytes, " bytes at 0x", std::hex, pointer,
          "; need a range inside one live allocation.");
  submit_change(stream, [=] { device_memory().mark_undefined(pointer, bytes); });
  return CUDA_SUCCESS;
}

CUresult mark_freed(CUdeviceptr pointer, CUstream stream) {
  check_base(pointer, 0);
  submit_change(stream, [=] { device_memory().set_live(pointer, false); });
  return CUDA_SUCCESS;
}

CUresult set_extent(CUdeviceptr pointer, size_t bytes, CUstream stream) {
  check_base(pointer, bytes);
  if (keeps_order()) {
    host_races().forget(pointer, device_memory().reserved(pointer));
  }
  submit_change(stream, [=] { device_memory().set_extent(pointer, bytes); });
  return CUDA_SUCCESS;
}

CUresult cancel() {
  current_context_even_faulted()->queues().cancel();
  return CUDA_SUCCESS;
}

CUresult statistics(MtStatistics* statistics) {
  required(statistics, "statistics") = current_context_even_faulted()->statistics();
  return CUDA_SUCCESS;
}

CUresult set_print_callback(MtPrintCallback print, void* user) {
  set_print_sink(print, user);
  return CUDA_SUCCESS;
}

}  // namespace api
}  // namespace minitorch::libcuda
