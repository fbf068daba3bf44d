// The step between a caller that expects a result and a function that has none: machine
// code is linked by name alone, and such a caller gets what nobody wrote.
#pragma once

#include <string>
#include <string_view>

#include "ptx/syntax.h"

namespace minitorch::ptx {

/// Whether callers of `declared` reach `defined` although their results differ.
bool lacks_results(const syntax::Function& declared, const syntax::Function& defined);

/// A function `name` with the results of `declared`, which stay unwritten, that calls
/// `defined`.
std::string call_without_results(std::string_view name,
                                 const syntax::Function& declared,
                                 const syntax::Function& defined);

}  // namespace minitorch::ptx
