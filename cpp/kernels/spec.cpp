// Owns the text form of a spec; must not know the kernels.
#include "kernels/spec.h"

#include "base/text.h"

namespace minitorch::kernels {

Spec& Spec::type(std::string_view name, std::string_view cpp_type) {
  text_ += base::text("using ", name, " = ", cpp_type, ";\n");
  return *this;
}

Spec& Spec::constant(std::string_view name, int64_t value) {
  text_ += base::text("constexpr int ", name, " = ", value, ";\n");
  return *this;
}

Spec& Spec::flag(std::string_view name, bool value) {
  text_ += base::text("constexpr bool ", name, " = ", value ? "true" : "false", ";\n");
  return *this;
}

Spec& Spec::code(std::string_view cuda) {
  text_ += cuda;
  if (!text_.ends_with('\n')) text_ += '\n';
  return *this;
}

}  // namespace minitorch::kernels
