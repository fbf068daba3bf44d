// That the lines of a kernel's text are those that messages will name: no `#line` leads
// to somebody else's file, and no inline assembly passes for the compiler's own PTX.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nvrtc/diagnostics.h"

namespace minitorch::nvrtc {

/// The text, its lines where they were, without each `#line` that names a file which
/// `own` does not hold; one with a number alone stays. What a macro would have to
/// complete goes, too.
std::string without_foreign_lines(std::string_view text,
                                  const std::function<bool(std::string_view)>& own);

/// The lines, from 1, of strings that hold a mark which NVRTC writes around inline
/// assembly ("// begin inline asm"): in assembly it would end where it says so itself.
std::vector<int> lines_with_assembly_marks(std::string_view text);

}  // namespace minitorch::nvrtc
