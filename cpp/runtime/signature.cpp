// Owns finding a kernel's parameter list in CUDA C++ or PTX text. Must not know
// launches.
#include "runtime/signature.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/text.h"
#include "runtime/cpp_types.h"

namespace minitorch::runtime {
namespace {

// A `__global__` function as it stands in the tokens.
struct Declaration {
  std::string name;
  size_t open = 0, close = 0;           // its parameter list: "(" and just after ")"
  std::vector<std::string> parameters;  // of its template
};

// Names of `template <class T, int N>`: T, N.
std::vector<std::string> template_names(const Tokens& tokens, size_t open) {
  std::vector<std::string> names;
  for (Tokens part : split_commas(tokens, open + 1, after_bracket(tokens, open) - 1)) {
    part.erase(std::find(part.begin(), part.end(), "="), part.end());
    names.push_back(part.empty() ? "" : part.back());
  }
  return names;
}

std::vector<Declaration> find_kernels(const Tokens& tokens) {
  std::vector<Declaration> found;
  std::vector<std::string> pending;  // of a template head not yet used
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "template" && i + 1 < tokens.size() && tokens[i + 1] == "<")
      pending = template_names(tokens, i + 1);
    if (tokens[i] == ";" || tokens[i] == "}") pending.clear();
    if (tokens[i] != "__global__") continue;
    for (size_t j = i + 1; j + 1 < tokens.size(); ++j) {
      if (tokens[j] == ";" || tokens[j] == "{") break;
      if (tokens[j] == "__launch_bounds__" || tokens[j] == "__attribute__") {
        j = after_bracket(tokens, j + 1) - 1;
      } else if (is_word(tokens[j]) && tokens[j + 1] == "(") {
        const size_t close = after_bracket(tokens, j + 1);
        if (tokens[close - 1] == ")")
          found.push_back({tokens[j], j + 1, close, pending});
        break;
      }
    }
    pending.clear();
  }
  return found;
}

// "ns::scale<float, 4>": the name "scale" and its arguments as tokens.
struct Expression {
  std::string name;
  std::vector<Tokens> arguments;
};

Expression parse_expression(std::string_view text) {
  const Tokens tokens = cpp_tokens(text);
  Expression expression;
  const auto open = std::find(tokens.begin(), tokens.end(), "<");
  const size_t at = static_cast<size_t>(open - tokens.begin());
  if (at > 0) expression.name = tokens[at - 1];
  if (open != tokens.end())
    expression.arguments = split_commas(tokens, at + 1, after_bracket(tokens, at) - 1);
  return expression;
}

}  // namespace

std::string element_name(ElementType type) {
  const std::string bits = std::to_string(type.size * 8);
  switch (type.kind) {
    case 'b':
      return "bool";
    case 'i':
      return "int" + bits;
    case 'u':
      return "uint" + bits;
    case 'f':
      return "float" + bits;
    case 'c':
      return "complex" + bits;
    case 'E':
      return "bfloat16";
    default:
      return base::text("void", type.size);
  }
}

Signature parse_signature(std::string_view code, std::string_view kernel) {
  const Tokens tokens = cpp_tokens(code);
  const Expression wanted = parse_expression(kernel);
  Signature signature;
  const std::vector<Declaration> kernels = find_kernels(tokens);
  const auto found =
      std::find_if(kernels.begin(), kernels.end(),
                   [&](const Declaration& one) { return one.name == wanted.name; });
  if (found == kernels.end() || found->close <= found->open + 1) return signature;
  Aliases aliases = find_aliases(tokens);
  for (size_t i = 0; i < found->parameters.size(); ++i) {
    // A parameter left to its default is unknown: an alias to nothing known.
    aliases[found->parameters[i]] =
        i < wanted.arguments.size() ? wanted.arguments[i] : Tokens{"auto"};
  }
  for (Tokens part : split_commas(tokens, found->open + 1, found->close - 1)) {
    part.erase(std::find(part.begin(), part.end(), "="), part.end());
    if (part == Tokens{"void"}) continue;
    signature.parameters.push_back(parse_parameter(part, aliases));
  }
  signature.known = true;
  return signature;
}

std::vector<std::string> kernel_names(std::string_view code) {
  std::vector<std::string> names;
  for (const Declaration& kernel : find_kernels(cpp_tokens(code)))
    if (std::find(names.begin(), names.end(), kernel.name) == names.end())
      names.push_back(kernel.name);
  return names;
}

}  // namespace minitorch::runtime
