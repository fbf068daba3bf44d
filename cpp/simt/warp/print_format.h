// The text that a printf of a kernel makes of its format and arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace minitorch::simt {

struct PrintSource {
  /// Copies the bytes of the next argument, which lies at `offset` of the arguments.
  std::function<void(uint64_t offset, void* to, uint32_t size)> read;
  /// The text at a generic address.
  std::function<std::string(uint64_t address)> text;
};

std::string format_print(const std::string& format, const PrintSource& source);

}  // namespace minitorch::simt
