// Owns the option arrays of the JIT functions: where logs go and how long they may be.
// Must not know what is compiled.
#pragma once

#include <cstddef>
#include <string>

#include "cuda_abi/driver_types.h"

namespace minitorch::emulator::driver {

/// The options of one cuModuleLoadDataEx call; unknown ones are ignored, as the
/// emulator compiles nothing.
class JitOptions {
 public:
  /// Fails with INVALID_VALUE when arrays are missing.
  JitOptions(unsigned int count, CUjit_option* options, void** values);

  /// Writes the log, cut to the client's buffer, and its length into the size option.
  void write_error(const std::string& text) const { write(error_, text); }
  void write_info(const std::string& text) const { write(info_, text); }

 private:
  struct Log {
    char* buffer = nullptr;
    void** size = nullptr;  // in: bytes of the buffer; out: bytes written
  };
  static void write(const Log& log, const std::string& text);

  Log error_, info_;
};

}  // namespace minitorch::emulator::driver
