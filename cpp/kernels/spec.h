// Owns the writing of spec.cuh, the header that specialises a kernel for one launch;
// must not know which names a kernel asks for (each .cu lists them).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace minitorch::kernels {

/// Builds the text of a spec.cuh, in the order of the calls:
/// `Spec().type("Scalar", "float").constant("TILE", 16).code(fn).text()`.
class Spec {
 public:
  /// `using NAME = CPP_TYPE;`
  Spec& type(std::string_view name, std::string_view cpp_type);
  /// `constexpr int NAME = VALUE;`
  Spec& constant(std::string_view name, int64_t value);
  /// `constexpr bool NAME = true;`
  Spec& flag(std::string_view name, bool value);
  /// Plain CUDA C++, e.g. a `struct Fn` with a `__device__` call operator.
  Spec& code(std::string_view cuda);

  const std::string& text() const { return text_; }

 private:
  std::string text_ = "#pragma once\n";
};

}  // namespace minitorch::kernels
