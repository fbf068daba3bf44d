// The kernel sources as text, embedded at build time.
#pragma once

#include <span>
#include <string_view>

namespace minitorch::kernels {

/// The text of one embedded file, e.g. `source("matmul_tiled.cu")` or
/// `source("layout.cuh")`. Raises base::ValueError with the known names for another
/// one. "spec.cuh" is a sample that lets each file compile alone; a launch brings its
/// own.
std::string_view source(std::string_view file);

/// All embedded file names, `.cu` and `.cuh`, sorted.
std::span<const std::string_view> names();

}  // namespace minitorch::kernels
