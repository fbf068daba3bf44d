// Owns turning work into a stream's operations.
#include "emulator/driver/work.h"

#include "emulator/driver/capture.h"
#include "emulator/driver/process.h"

namespace minitorch::emulator::driver {

InCallback::InCallback() { thread_state().in_callback = true; }
InCallback::~InCallback() { thread_state().in_callback = false; }

Operation operation_of(const CopyWork& copy, const std::shared_ptr<Stream>&) {
  return {[copy] { perform(copy); },
          [copy](bool cancelled) {
            if (cancelled) forget(copy);
          },
          {}};
}

Operation operation_of(const FillWork& fill, const std::shared_ptr<Stream>&) {
  return {[fill] { perform(fill); },
          [fill](bool cancelled) {
            if (cancelled) forget(fill);
          },
          {}};
}

Operation operation_of(const HostWork& host, const std::shared_ptr<Stream>&) {
  return {[host] {
            const InCallback here;
            host.function(host.user);
          },
          {},
          {}};
}

void enqueue(const std::shared_ptr<Stream>& stream, const Work& work) {
  if (capture_instead(stream, work)) return;
  stream->context->queues().submit(
      stream->queue,
      std::visit([&](const auto& one) { return operation_of(one, stream); }, work));
}

}  // namespace minitorch::emulator::driver
