// What a declaration becomes: variables with their bytes, parameters with their places.
#pragma once

#include <string_view>
#include <unordered_map>

#include "ptx/program.h"
#include "ptx/syntax.h"

namespace minitorch::ptx {

/// Names of a whole module.
struct ModuleNames {
  std::unordered_map<std::string_view, uint32_t> functions, variables;
};

/// The variable without its initial bytes. Raises: PtxError for a size past 2^40.
Variable make_variable(const syntax::Declaration& declaration);

/// Initial bytes and relocations; every name must be known already.
void fill_initial(const syntax::Declaration& declaration, const ModuleNames& names,
                  Variable& variable);

/// Places parameters one after the other at their alignment; `bytes` is the end.
std::vector<Parameter> place_parameters(
    const std::vector<syntax::Declaration>& declarations, uint32_t& bytes);

}  // namespace minitorch::ptx
