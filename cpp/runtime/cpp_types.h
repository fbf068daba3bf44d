// Owns the scalar types of CUDA C++ by name, with the aliases of one source. Must not
// know functions.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runtime/cpp_tokens.h"
#include "runtime/signature.h"

namespace minitorch::runtime {

/// Type names that stand for other types: `using`, `typedef`, template parameters.
using Aliases = std::map<std::string, Tokens>;

/// `using X = float;`, `typedef float X;`, `#define X float` in `tokens`.
Aliases find_aliases(const Tokens& tokens);

/// What the parameter declaration `tokens` (type and name, no default) means.
ParameterInfo parse_parameter(const Tokens& tokens, const Aliases& aliases);

}  // namespace minitorch::runtime
