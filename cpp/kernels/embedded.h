// The shape of the generated table of kernel sources; only kernels.cpp reads it.
#pragma once

#include <span>
#include <string_view>

namespace minitorch::kernels {

struct EmbeddedFile {
  std::string_view name, text;
};

/// Every .cu and .cuh file of this room, defined in the source that embed.cmake writes.
std::span<const EmbeddedFile> embedded_files();

}  // namespace minitorch::kernels
