// The option arrays of the JIT functions: where logs go and how long they may be, and
// what else has a meaning without a compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda_abi/driver_types.h"

namespace minitorch::libcuda {

/// The options of one call. What only steers a compiler is accepted and has no effect.
class JitOptions {
 public:
  JitOptions() = default;
  /// Fails with INVALID_VALUE when arrays are missing or an option is none.
  JitOptions(unsigned int count, CUjit_option* options, void** values);

  /// Writes the log, cut to the client's buffer, and its length into the size option.
  void write_error(const std::string& text) const { error_.write(text); }
  void write_info(const std::string& text) const { info_.write(text); }

  uint32_t max_registers() const { return max_registers_; }  // 0: no limit
  bool index_checks() const { return index_checks_; }        // kMtJitIndexChecks

 private:
  struct Log {
    char* buffer = nullptr;
    void** size = nullptr;  // bytes written go there
    size_t room = 0;        // bytes of the buffer: what stood there first

    void write(const std::string& text) const;
  };

  Log error_, info_;
  uint32_t max_registers_ = 0;
  bool index_checks_ = false;
};

}  // namespace minitorch::libcuda
