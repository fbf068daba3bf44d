// Owns what PTX text says of its entries: names and parameter types. Must not know C++;
// running PTX is the driver's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/signature.h"

namespace minitorch::runtime {

/// A `.entry` with its parameters: floats are scalars; an integer of 8 bytes may be a
/// pointer, so integers are `Unknown` with kind 'u'; byte arrays are structs.
struct PtxEntry {
  std::string name;
  std::vector<ParameterInfo> parameters;
};
std::vector<PtxEntry> ptx_entries(std::string_view ptx);

/// "_Z5scalePff" as people write it, "scale"; with template arguments "scale<float>",
/// in a namespace "model::scale". Namespaces without a name leave no trace, as in C++.
/// A name that is not mangled comes back as it is.
std::string readable_name(const std::string& entry);

/// The same with its parameters, and with "(anonymous namespace)": "scale(float*)".
/// What tells kernels of one readable name apart.
std::string full_name(const std::string& entry);

}  // namespace minitorch::runtime
