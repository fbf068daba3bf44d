// A readable listing of a program between two passes, for people and tests.
#pragma once

#include <string>

#include "simt/program/warp_program.h"

namespace minitorch::simt {

/// One operation a line, behind the line of the PTX that it comes from:
///    14 | %r3 = add.s32 %r1, 4
/// Registers that are constants are listed where they are set. Steps, once there are
/// any, with the fields that are not 0.
std::string program_text(const WarpProgram& program);

/// The program of an entry and all that it may call after the pass of that name.
///
/// Raises: base::StateError naming the passes, or the module's entries, when `pass` or
/// `kernel` is none of them. No `kernel`: the first entry.
std::string program_text(const LoadedModule& module, const std::string& kernel,
                         uint32_t checks, const std::string& pass);

}  // namespace minitorch::simt
