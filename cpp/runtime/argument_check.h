// The check of a user's arguments against a kernel's parameters, and their packing.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cuda_abi/driver_types.h"
#include "runtime/launch.h"
#include "runtime/signature.h"

namespace minitorch::runtime {

struct NullPointer {};

/// A device array: its address, element type and the device it lives on.
struct ArrayArgument {
  CUdeviceptr pointer = 0;
  ElementType element;
  const cuda_client::Api* api = nullptr;  // nullptr: not checked
};

/// A NumPy scalar (or a structured value, kind 'V'): its type and bytes.
struct ScalarArgument {
  ElementType element;
  std::vector<std::byte> bytes;
};

/// A plain Python value is one of int64, uint64 (beyond int64), double, bool.
using Argument = std::variant<NullPointer, ArrayArgument, ScalarArgument, int64_t,
                              uint64_t, double, bool>;

/// Packs `arguments` for a launch of `kernel`. Python numbers convert when exact to the
/// parameter's type; arrays and NumPy scalars must match it. A parameter of unknown
/// kind is checked by size alone. The names of `parameters` are kept as they are.
/// Throws LaunchError("arg_mismatch") that names the parameter, what came and what is
/// needed.
Arguments pack_arguments(const std::string& kernel,
                         std::span<const ParameterInfo> parameters,
                         std::span<const Argument> arguments);

}  // namespace minitorch::runtime
