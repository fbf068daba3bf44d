// What a kernel's C++ signature says of its parameters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minitorch::runtime {

/// An element type as NumPy's typestr writes it: kind 'b' bool, 'i' 'u' integers, 'f'
/// floats, 'c' complex, 'E' bfloat16, 'V' anything else; size in bytes.
struct ElementType {
  char kind = 'V';
  uint32_t size = 0;
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// "float32", "int64", "bool", "bfloat16", "void12".
std::string element_name(ElementType type);

enum class ParameterKind : uint8_t {
  Unknown,  // only the size is known, if that
  Pointer,  // `element` is what it points to; kind 'V' when it may be anything
  Scalar,   // `element` is its type
  Struct,   // passed as bytes of `size`
};

struct ParameterInfo {
  std::string name;  // "" when the source gives none
  std::string type;  // as written: "const float*"
  ParameterKind kind = ParameterKind::Unknown;
  ElementType element;
  bool pointee_const = false;
  size_t size = 0;  // bytes in the parameter buffer; 0 unknown
};

/// Parameters of the `__global__` function `kernel` in CUDA C++ `code`; of a template,
/// with its arguments where `kernel` is a name expression ("scale<float>"). `known` is
/// false when the function was not found or not understood.
struct Signature {
  bool known = false;
  std::vector<ParameterInfo> parameters;
};
Signature parse_signature(std::string_view code, std::string_view kernel);

/// Names of the `__global__` functions in `code`, in order.
std::vector<std::string> kernel_names(std::string_view code);

/// Offsets in `code` just after the brace that opens the body of each `__global__`
/// function, in order; without those that stand in a macro.
std::vector<size_t> kernel_bodies(std::string_view code);

}  // namespace minitorch::runtime
