#include "libcuda/memory/copy_queue.h"

#include <cstring>

#include "libcuda/contexts/process.h"
#include "libcuda/graphs/capture.h"
#include "libcuda/memory/registered_host.h"

namespace minitorch::libcuda {
namespace {

/// Larger pageable sources are copied in the caller's time instead of being staged.
constexpr size_t kStagedBytes = size_t{1} << 20;

/// In the stream's turn, on the calling thread. `waits`: the client may count on its
/// end.
CUresult copy_here(const CopyWork& copy, const std::shared_ptr<Stream>& stream,
                   bool waits) {
  CUresult result = CUDA_SUCCESS;
  Operation operation = operation_of(copy, stream);
  operation.run = [&, run = std::move(operation.run)] {
    result = stream->context->sync_result(stream->queue);
    if (result != CUDA_SUCCESS) return;
    check_extents(copy);
    run();
  };
  operation.tells_host = waits;
  stream->context->queues().run_here(stream->queue, operation);
  return result;
}

/// The caller may change the source at once: its bytes are kept with the operation.
void copy_staged(const CopyWork& copy, const std::shared_ptr<Stream>& stream) {
  const auto* first = reinterpret_cast<const uint8_t*>(copy.from.address);
  auto bytes =
      std::make_shared<std::vector<uint8_t>>(first, first + copy.extent(copy.from));
  CopyWork staged = copy;
  staged.from.address = reinterpret_cast<uint64_t>(bytes->data());
  staged.from.device = false;
  Operation operation = operation_of(staged, stream);
  operation.run = [run = std::move(operation.run), bytes] { run(); };
  stream->context->queues().submit(stream->queue, std::move(operation));
}

}  // namespace

CUresult copy_now(const CopyWork& copy) {
  current_context();
  const auto stream = stream_of(nullptr);
  require_no_capture(stream, "a copy that waits");
  require_no_capture_anywhere("a copy that waits");
  if (copy.empty()) return CUDA_SUCCESS;
  check_ranges(copy);
  if (!copy.to.device || !copy.from.device) return copy_here(copy, stream, true);
  enqueue(stream, copy);
  return CUDA_SUCCESS;
}

CUresult copy_in_stream(const CopyWork& copy, CUstream handle) {
  const auto stream = usable_stream(handle);
  if (copy.empty()) return CUDA_SUCCESS;
  check_ranges(copy);
  const bool inside = copy.to.device && copy.from.device;
  const CopyEnd& host = copy.to.device ? copy.from : copy.to;
  // A node of a graph copies from wherever the pointer points when it runs.
  const bool captured = capture_of(stream) != nullptr;
  if (captured || inside || is_pinned(host.address, copy.extent(host))) {
    enqueue(stream, copy);
    return CUDA_SUCCESS;
  }
  if (!copy.to.device || copy.extent(copy.from) > kStagedBytes) {
    return copy_here(copy, stream, !copy.to.device);
  }
  copy_staged(copy, stream);
  return CUDA_SUCCESS;
}

CUresult copy_from_now(const CopyWork& copy, CUstream handle) {
  const auto stream = usable_stream(handle);
  if (copy.empty()) return CUDA_SUCCESS;
  check_ranges(copy);
  if (capture_of(stream) != nullptr) return copy_in_stream(copy, handle);
  const bool of_host = !copy.from.device || memory_of_host(copy.from.address);
  if (of_host && copy.to.device) {
    copy_staged(copy, stream);
    return CUDA_SUCCESS;
  }
  const CUresult result = copy_in_stream(copy, handle);
  if (result != CUDA_SUCCESS) return result;
  stream->context->queues().wait(stream->queue);
  return stream->context->sync_result(stream->queue);
}

}  // namespace minitorch::libcuda
