// Owns the reading of JIT options and the writing of logs.
#include "emulator/driver/jit_options.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "emulator/driver/failure.h"

namespace minitorch::emulator::driver {

JitOptions::JitOptions(unsigned int count, CUjit_option* options, void** values) {
  if (count == 0) return;
  required(options, "options");
  required(values, "optionValues");
  for (unsigned int i = 0; i < count; ++i) {
    switch (static_cast<int>(options[i])) {
      case CU_JIT_INFO_LOG_BUFFER:
        info_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        info_.size = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        error_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        error_.size = &values[i];
        break;
      default:
        break;
    }
  }
}

void JitOptions::write(const Log& log, const std::string& text) {
  if (log.buffer == nullptr || log.size == nullptr) return;
  // The value itself, not a pointer to it, holds the number.
  const auto room = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(*log.size));
  if (room == 0) return;
  const size_t length = std::min<size_t>(text.size(), room - 1);
  std::memcpy(log.buffer, text.data(), length);
  log.buffer[length] = '\0';
  *log.size = reinterpret_cast<void*>(static_cast<uintptr_t>(length));
}

}  // namespace minitorch::emulator::driver
