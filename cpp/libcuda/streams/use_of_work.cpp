#include "libcuda/streams/use_of_work.h"

#include "libcuda/contexts/process.h"
#include "libcuda/memory/registered_host.h"

namespace minitorch::libcuda {
namespace {

MtStreamKind kind_of(const Stream& stream) {
  switch (stream.queue->kind) {
    case StreamQueue::Kind::Legacy:
      return MtStream_Default;
    case StreamQueue::Kind::NonBlocking:
      return MtStream_NonBlocking;
    default:
      return MtStream_Blocking;
  }
}

MemoryUse::User user_of(MtOperationKind kind, const Stream& stream) {
  MemoryUse::User user;
  user.operation.kind = kind;
  user.operation.stream_kind = kind_of(stream);
  user.operation.stream = stream.queue->id;
  user.context = stream.context;
  user.tag = thread_state().options.tag;
  user.tolerated = thread_state().options.tolerated;
  user.memory = &stream.context->device.memory;
  return user;
}

bool looked_at(const Stream& stream, bool in_graph) {
  if (!keeps_order() || keeps_books()) return false;
  return in_graph || QueueGroup::may_overlap(*stream.queue);
}

/// Pageable memory of the host is used before a call returns, or cannot be seen.
bool counts(const CopyEnd& end, size_t bytes) {
  return end.device || is_pinned(end.address, bytes);
}

void add_rows(Use use, const CopyWork& copy, const CopyEnd& end, Footprint& to) {
  if (!counts(end, copy.extent(end))) return;
  for (size_t z = 0; z < copy.depth; ++z) {
    for (size_t y = 0; y < copy.height; ++y) {
      const uint64_t row = end.address + z * end.slice + y * end.pitch;
      if (!to.add(use, row, copy.width)) return;
    }
  }
}

}  // namespace

std::shared_ptr<MemoryUse> use_of(const CopyWork& copy, const Stream& stream,
                                  bool in_graph) {
  if (!looked_at(stream, in_graph)) return nullptr;
  MemoryUse::User user = user_of(kind_of(copy), stream);
  user.host = !copy.to.device || !copy.from.device;
  auto use = std::make_shared<MemoryUse>(std::move(user));
  add_rows(Use::Write, copy, copy.to, use->footprint);
  add_rows(Use::Read, copy, copy.from, use->footprint);
  return use;
}

std::shared_ptr<MemoryUse> use_of(const FillWork& fill, const Stream& stream,
                                  bool in_graph) {
  if (!looked_at(stream, in_graph)) return nullptr;
  MemoryUse::User user = user_of(MtOperation_Fill, stream);
  user.host = fill.in_call;
  auto use = std::make_shared<MemoryUse>(std::move(user));
  for (size_t y = 0; y < fill.height; ++y) {
    const uint64_t row = fill.address + y * fill.pitch;
    if (!use->footprint.add(Use::Write, row, fill.width * fill.element)) break;
  }
  return use;
}

std::shared_ptr<MemoryUse> use_of(const ptx::Function& kernel, const Stream& stream,
                                  bool in_graph, uint32_t checks) {
  if ((checks & MtCheck_Race) == 0 || !looked_at(stream, in_graph)) return nullptr;
  MemoryUse::User user = user_of(MtOperation_Kernel, stream);
  user.name = kernel.display;
  user.fences = kernel.uses_fence;
  return std::make_shared<MemoryUse>(std::move(user));
}

}  // namespace minitorch::libcuda
