// Names as people write them: "tile" for _ZZ4gemmE4tile; knows no PTX.
#pragma once

#include <string>
#include <string_view>

namespace minitorch::ptx {

/// "gemm<float>" for a mangled function; names that are not mangled stay as they are.
std::string function_display(std::string_view name);
/// The same with its parameters, and with "(anonymous namespace)": "gemm(float*)". What
/// tells functions of one display name apart.
std::string function_signature(std::string_view name);
/// The last part only: "tile".
std::string variable_display(std::string_view name);

}  // namespace minitorch::ptx
