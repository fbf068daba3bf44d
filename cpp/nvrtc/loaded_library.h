// Owns access to the one NVRTC of this process. Must not know what is compiled.
#pragma once

#include "nvrtc/library.h"

namespace minitorch::nvrtc {

/// Loads the library at `location()` at the first call. Throws StateError.
Library& loaded_library();

}  // namespace minitorch::nvrtc
