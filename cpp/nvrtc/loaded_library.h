// Access to the one NVRTC of this process.
#pragma once

#include <memory>

#include "nvrtc/library.h"

namespace minitorch::nvrtc {

/// Loads the library at `location()` at the first call; it stays loaded as long as it
/// is held, whatever is forgotten meanwhile. Throws StateError.
std::shared_ptr<Library> loaded_library();

}  // namespace minitorch::nvrtc
