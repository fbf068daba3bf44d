#include "runtime/launch_arguments.h"

#include <cstring>

namespace minitorch::runtime {

Arguments& Arguments::add_bytes(const void* data, size_t bytes) {
  constexpr size_t kAlignment = 16;  // of the widest parameter
  const size_t begin = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
  bytes_.resize(begin + bytes);
  if (bytes > 0) std::memcpy(bytes_.data() + begin, data, bytes);
  offsets_.push_back(static_cast<uint32_t>(begin));
  return *this;
}

}  // namespace minitorch::runtime
