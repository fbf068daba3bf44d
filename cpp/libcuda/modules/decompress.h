// The two compressions that fat binaries use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace minitorch::libcuda {

/// An LZ4 block of `bytes` bytes that holds `size` bytes; nothing when it is damaged.
std::optional<std::string> decompress_lz4(const uint8_t* data, size_t bytes,
                                          size_t size);

/// A Zstandard frame; nothing when it is damaged. Needs the system's libzstd:
/// `have_zstd` tells whether it is there.
std::optional<std::string> decompress_zstd(const uint8_t* data, size_t bytes,
                                           size_t size);
bool have_zstd();

}  // namespace minitorch::libcuda
