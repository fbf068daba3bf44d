// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace minitorch::nvrtc {

/// A cryptographic hash, so that two sources never share a cache entry and a hit needs
/// no comparison of sources; kernels are small, so its speed does not matter.
class Sha256 {
 public:
  Sha256& update(std::string_view bytes);
  /// The same for one field of several: its length goes first, so that no two lists of
  /// fields hash alike.
  Sha256& field(std::string_view bytes);
  /// 64 hexadecimal digits; the object is used up.
  std::string hex();

 private:
  void block(const uint8_t* bytes);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  uint64_t length_ = 0;
};

}  // namespace minitorch::nvrtc
