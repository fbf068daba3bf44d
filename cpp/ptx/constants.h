// The bits of a written number at the type it is used with; knows no grammar.
#pragma once

#include "ptx/opcode.h"
#include "ptx/syntax.h"

namespace minitorch::ptx {

/// Bits of `constant` as a value of `type`, zero-extended. Integers wrap to the type's
/// size; a float literal keeps its exact bits where the sizes agree.
/// Raises: PtxError for a float literal at a 16-bit type.
uint64_t bits_of(const syntax::Constant& constant, Type type, syntax::Place place);

}  // namespace minitorch::ptx
