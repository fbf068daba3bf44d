#include "libcuda/launches/work.h"

#include "libcuda/contexts/process.h"
#include "libcuda/inspect/work_times.h"
#include "libcuda/memory/registered_host.h"
#include "libcuda/streams/host_races.h"
#include "libcuda/streams/use_of_work.h"

namespace minitorch::libcuda {
namespace {

MtOperationKind kind_of(const FillWork&) { return MtOperation_Fill; }

template <class Moved>
Operation moving(const Moved& work, const Stream& stream, bool in_graph) {
  const std::shared_ptr<MemoryUse> use = use_of(work, stream, in_graph);
  Operation operation{[work, use] {
                        agree_with_host();
                        perform(work);
                        agree_with_host();
                        if (use != nullptr) host_races().done(use);
                      },
                      [work](bool cancelled) {
                        if (cancelled) forget(work);
                      },
                      {}};
  if (use != nullptr) operation.uses.push_back(use);
  note_times(&operation, kind_of(work), work.bytes(), stream);
  return operation;
}

}  // namespace

Operation operation_of(const CopyWork& copy, const std::shared_ptr<Stream>& stream,
                       bool in_graph) {
  return moving(copy, *stream, in_graph);
}

Operation operation_of(const FillWork& fill, const std::shared_ptr<Stream>& stream,
                       bool in_graph) {
  return moving(fill, *stream, in_graph);
}

Operation operation_of(const HostWork& host, const std::shared_ptr<Stream>&) {
  Operation operation{[host] {
                        const InCallback here;
                        host.function(host.user);
                      },
                      {},
                      {}};
  operation.tells_host = true;
  return operation;
}

}  // namespace minitorch::libcuda
