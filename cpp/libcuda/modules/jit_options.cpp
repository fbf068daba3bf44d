#include "libcuda/modules/jit_options.h"

#include <algorithm>

#include "base/text.h"
#include "cuda_abi/inspect.h"
#include "libcuda/contexts/failure.h"

namespace minitorch::libcuda {
namespace {

constexpr int kOptions = 36;  // one more than the last of CUDA 13

/// The value itself, not a pointer to it, holds the number, in its low 32 bits.
uint32_t number(void* value) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(value));
}

}  // namespace

JitOptions::JitOptions(unsigned int count, CUjit_option* options, void** values) {
  if (count == 0) return;
  required(options, "options");
  required(values, "optionValues");
  for (unsigned int i = 0; i < count; ++i) {
    const int option = static_cast<int>(options[i]);
    if (option == kMtJitIndexChecks) {
      index_checks_ = number(values[i]) != 0;
      continue;
    }
    require(option >= 0 && option < kOptions, CUDA_ERROR_INVALID_VALUE,
            "got JIT option ", option, "; need 0 to ", kOptions - 1, ".");
    switch (option) {
      case CU_JIT_MAX_REGISTERS:
        max_registers_ = number(values[i]);
        break;
      case CU_JIT_WALL_TIME:
        values[i] = nullptr;  // 0.0f ms: nothing is compiled
        break;
      case CU_JIT_INFO_LOG_BUFFER:
        info_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        info_.size = &values[i];
        info_.room = number(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        error_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        error_.size = &values[i];
        error_.room = number(values[i]);
        break;
      case CU_JIT_OPTIMIZATION_LEVEL:
        require(number(values[i]) <= 4, CUDA_ERROR_INVALID_VALUE,
                "got optimisation level ", number(values[i]), "; need 0 to 4.");
        break;
      default:
        break;
    }
  }
}

void JitOptions::Log::write(const std::string& text) const {
  if (buffer == nullptr || size == nullptr || room == 0) return;
  const std::string_view fits = base::first_bytes(text, room - 1);
  std::copy(fits.begin(), fits.end(), buffer);
  buffer[fits.size()] = '\0';
  *size = reinterpret_cast<void*>(static_cast<uintptr_t>(fits.size()));
}

}  // namespace minitorch::libcuda
