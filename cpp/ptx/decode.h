// The way from PTX text to a verified, decoded module.
#pragma once

#include <memory>
#include <string_view>

#include "base/error.h"
#include "ptx/program.h"

namespace minitorch::ptx {

/// PTX that cannot be parsed, verified or decoded. `unsupported` tells a legal form
/// that this library refuses (textures, wgmma, ...) from a mistake in the text.
class PtxError : public base::Error {
 public:
  PtxError(uint32_t line, uint32_t column, const std::string& what, bool unsupported);
  uint32_t line, column;  // in the PTX text, from 1
  bool unsupported;
};

struct DecodeOptions {
  /// Comments of the form that index_checks.cpp describes become Op::IndexCheck. For
  /// texts of a translator that writes them: any other's comments are comments.
  bool index_checks = false;
};

/// Parses, verifies and decodes a whole module: control-flow graph, immediate
/// post-dominators, uniformity, source lines, layout of shared, local and parameters.
/// Instructions of an unsupported form decode to Op::Unsupported, so that a module is
/// refused only when such an instruction is reached; text that is no PTX throws.
///
/// Raises: PtxError with line and column; never crashes, whatever the text.
std::shared_ptr<const Module> decode(std::string_view text,
                                     const DecodeOptions& options = {});

}  // namespace minitorch::ptx
