// One run of NVRTC on one request.
#pragma once

#include "nvrtc/compiler.h"
#include "nvrtc/library.h"

namespace minitorch::nvrtc {

/// Compiles now. Throws CompileError, ValueError, StateError.
Result run_compiler(const Library& library, const Request& request,
                    const std::vector<std::string>& include_dirs);

/// The options NVRTC gets for `request`, in order; the user's replace ours.
std::vector<std::string> compiler_options(const Library& library,
                                          const Request& request,
                                          const std::vector<std::string>& include_dirs);

}  // namespace minitorch::nvrtc
