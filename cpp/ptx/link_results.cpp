#include "ptx/link_results.h"

#include <algorithm>

#include "base/text.h"

namespace minitorch::ptx {
namespace {

using syntax::Declaration;

uint32_t element_bytes(const Declaration& value) {
  return std::max(1u, size_of(value.type));
}

uint64_t elements(const Declaration& value) { return value.count * value.vector; }

/// ".param .align 8 .b64 NAME", with a length where the value is an array.
std::string declaration(const Declaration& value, const std::string& name) {
  const uint32_t bytes = element_bytes(value);
  std::string text = base::text(".param .align ", std::max(value.alignment, bytes),
                                " .b", 8 * bytes, " ", name);
  if (value.array || elements(value) > 1) text += base::text("[", elements(value), "]");
  return text;
}

std::string list(const std::vector<Declaration>& values, const char* prefix) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i)
    text +=
        base::text(i == 0 ? "" : ", ", declaration(values[i], base::text(prefix, i)));
  return text;
}

/// Copies own parameter number `i` to the argument of the same number.
std::string pass(const Declaration& value, size_t i) {
  const uint32_t bytes = element_bytes(value), wide = std::max(bytes, 2u);
  std::string text = base::text(declaration(value, base::text("argument", i)), ";\n",
                                ".reg .b", 8 * wide, " %value", i, ";\n");
  for (uint64_t at = 0; at < elements(value) * bytes; at += bytes) {
    text += base::text("ld.param.b", 8 * bytes, " %value", i, ", [own", i, "+", at,
                       "];\nst.param.b", 8 * bytes, " [argument", i, "+", at,
                       "], %value", i, ";\n");
  }
  return text;
}

}  // namespace

bool lacks_results(const syntax::Function& declared, const syntax::Function& defined) {
  return !declared.returns.empty() && defined.returns.empty() &&
         declared.parameters.size() == defined.parameters.size();
}

std::string call_without_results(std::string_view name,
                                 const syntax::Function& declared,
                                 const syntax::Function& defined) {
  std::string text = base::text(".func (", list(declared.returns, "result"), ") ", name,
                                "(", list(defined.parameters, "own"), ")\n{\n");
  std::string arguments;
  for (size_t i = 0; i < defined.parameters.size(); ++i) {
    text += pass(defined.parameters[i], i);
    arguments += base::text(i == 0 ? "" : ", ", "argument", i);
  }
  return text + base::text("call ", defined.name, ", (", arguments, ");\nret;\n}\n");
}

}  // namespace minitorch::ptx
