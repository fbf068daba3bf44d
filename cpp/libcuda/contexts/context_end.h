// The end of a context, with its captures, streams, events and modules.
#pragma once

#include <memory>

#include "libcuda/contexts/context.h"

namespace minitorch::libcuda {

/// Ends a context and every handle that belongs to it.
void destroy_context(const std::shared_ptr<Context>& context);

}  // namespace minitorch::libcuda
