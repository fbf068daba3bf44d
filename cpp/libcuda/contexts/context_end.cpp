#include "libcuda/contexts/context_end.h"

#include "libcuda/contexts/process.h"
#include "libcuda/graphs/capture.h"

namespace minitorch::libcuda {

void destroy_context(const std::shared_ptr<Context>& context) {
  Process& all = process();
  const auto owned = [&](const auto& object) { return object.context == context; };
  all.contexts.take(context->handle);
  end_captures(context);
  for (const auto& stream : all.streams.take_if(owned)) {
    context->queues().close(stream->queue);
  }
  context->destroy();
  all.events.take_if(owned);
  for (const auto& module : all.modules.take_if(owned)) {
    all.functions.take_if(
        [&](const Function& function) { return function.module == module->handle; });
  }
  // The card has one heap: what kernels hold of it ends with the last context.
  if (all.contexts.all().empty()) all.device.memory.release_heap();
}

}  // namespace minitorch::libcuda
