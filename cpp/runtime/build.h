// Owns compiling for a device: architecture, PTX or cubin, a compiler that the driver
// can take. Must not know where the source comes from.
#pragma once

#include <memory>

#include "nvrtc/compiler.h"
#include "runtime/device.h"

namespace minitorch::runtime {

/// Fills in what `request` needs for `device` (its source, headers and options are the
/// caller's) and compiles it. Throws CompileError, StateError.
std::shared_ptr<const nvrtc::Result> build_for(const Device& device,
                                               nvrtc::Request request);

}  // namespace minitorch::runtime
