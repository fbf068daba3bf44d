// A readable listing of decoded functions, for tests and debugging.
#pragma once

#include <string>

#include "ptx/program.h"

namespace minitorch::ptx {

/// One line an instruction, under its block:
///   B0 -> B1 B2 (join B2)
///     3: @!%p1 setp.lt.s32 %p2 = %r1, 0x10   ; line 12, uniform
std::string to_text(const Function& function, const Module& module);

}  // namespace minitorch::ptx
