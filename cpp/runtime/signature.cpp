#include "runtime/signature.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "runtime/cpp_tokens.h"

namespace minitorch::runtime {
namespace {

// Type names that stand for other types: `using`, `typedef`, template parameters.
using Aliases = std::map<std::string, Tokens>;

constexpr int kAliasDepth = 8;

const std::set<std::string>& ignored_words() {
  static const std::set<std::string> words = {
      "const",      "volatile",     "register",         "struct",
      "class",      "enum",         "typename",         "restrict",
      "__restrict", "__restrict__", "__grid_constant__"};
  return words;
}

const std::set<std::string>& type_words() {
  static const std::set<std::string> words = {"void",   "bool",    "char",  "short",
                                              "int",    "long",    "float", "double",
                                              "signed", "unsigned"};
  return words;
}

// Types of one word; the fundamental ones of several words are in `fundamental`.
const std::map<std::string, ElementType>& named_types() {
  static const std::map<std::string, ElementType> types = {
      {"int8_t", {'i', 1}},
      {"int16_t", {'i', 2}},
      {"int32_t", {'i', 4}},
      {"int64_t", {'i', 8}},
      {"uint8_t", {'u', 1}},
      {"uint16_t", {'u', 2}},
      {"uint32_t", {'u', 4}},
      {"uint64_t", {'u', 8}},
      {"size_t", {'u', 8}},
      {"ptrdiff_t", {'i', 8}},
      {"intptr_t", {'i', 8}},
      {"uintptr_t", {'u', 8}},
      {"uchar", {'u', 1}},
      {"ushort", {'u', 2}},
      {"uint", {'u', 4}},
      {"ulong", {'u', 8}},
      {"half", {'f', 2}},
      {"__half", {'f', 2}},
      {"nv_bfloat16", {'E', 2}},
      {"__nv_bfloat16", {'E', 2}},
      {"cuComplex", {'c', 8}},
      {"cuFloatComplex", {'c', 8}},
      {"cuDoubleComplex", {'c', 16}}};
  return types;
}

size_t count(const Tokens& tokens, const char* word) {
  return static_cast<size_t>(std::count(tokens.begin(), tokens.end(), word));
}

ElementType fundamental(const Tokens& words) {
  const char sign = count(words, "unsigned") ? 'u' : 'i';
  if (count(words, "double")) return {'f', 8};
  if (count(words, "float")) return {'f', 4};
  if (count(words, "bool")) return {'b', 1};
  if (count(words, "char")) return {sign, 1};
  if (count(words, "short")) return {sign, 2};
  if (count(words, "long")) return {sign, 8};
  if (count(words, "void")) return {};
  return {sign, 4};
}

// The element type of a type without pointers; nothing for a type not known.
std::optional<ElementType> scalar_type(Tokens words, const Aliases& aliases,
                                       int depth) {
  std::erase_if(words,
                [](const std::string& w) { return ignored_words().contains(w); });
  // std::uint32_t, ::size_t: the last part says it.
  const auto colons = std::find(words.rbegin(), words.rend(), "::");
  words.erase(words.begin(), colons.base());
  if (words.empty()) return {};
  if (std::all_of(words.begin(), words.end(),
                  [](const std::string& w) { return type_words().contains(w); }))
    return fundamental(words);
  if (words.size() > 3 && words[0] == "complex" && words[1] == "<" &&
      words.back() == ">") {
    const auto part = scalar_type({words.begin() + 2, words.end() - 1}, aliases, depth);
    if (!part || part->kind != 'f') return {};
    return ElementType{'c', 2 * part->size};
  }
  if (words.size() != 1) return {};
  if (const auto alias = aliases.find(words[0]); alias != aliases.end()) {
    if (depth > kAliasDepth || count(alias->second, "*") > 0) return {};
    return scalar_type(alias->second, aliases, depth + 1);
  }
  if (const auto named = named_types().find(words[0]); named != named_types().end())
    return named->second;
  return {};
}

// An alias of a pointer type is replaced by its tokens, so that the star is seen.
Tokens without_pointer_aliases(const Tokens& tokens, const Aliases& aliases) {
  Tokens out;
  for (const std::string& token : tokens) {
    const auto alias = aliases.find(token);
    if (alias != aliases.end() && count(alias->second, "*") > 0)
      out.insert(out.end(), alias->second.begin(), alias->second.end());
    else
      out.push_back(token);
  }
  return out;
}

// Takes the declared name off the end of `tokens`, and `[...]` as a star before it.
std::string take_name(Tokens* tokens) {
  size_t stars = 0;
  while (!tokens->empty() && tokens->back() == "]") {
    const auto open = std::find(tokens->rbegin(), tokens->rend(), "[");
    if (open == tokens->rend()) return "";
    tokens->erase(open.base() - 1, tokens->end());
    ++stars;
  }
  std::string name;
  const bool named = tokens->size() > 1 && is_word(tokens->back()) &&
                     !type_words().contains(tokens->back()) &&
                     !ignored_words().contains(tokens->back()) &&
                     (*tokens)[tokens->size() - 2] != "::";
  // `const Foo` has no name: what is before it must be a type.
  const bool has_type =
      named &&
      std::any_of(tokens->begin(), tokens->end() - 1, [](const std::string& t) {
        return is_word(t) && !ignored_words().contains(t);
      });
  if (has_type) {
    name = tokens->back();
    tokens->pop_back();
  }
  tokens->insert(tokens->end(), stars, "*");
  return name;
}

void add_alias(const Tokens& definition, Aliases* aliases) {
  if (definition.size() >= 2) {
    Tokens type(definition.begin(), definition.end() - 1);
    (*aliases)[definition.back()] = std::move(type);
  }
}

// `using X = float;`, `typedef float X;`, `#define X float` in `tokens`.
Aliases find_aliases(const Tokens& tokens) {
  Aliases aliases;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] != "using" && tokens[i] != "typedef") continue;
    const auto end =
        std::find(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end(), ";");
    const Tokens statement(tokens.begin() + static_cast<std::ptrdiff_t>(i), end);
    if (tokens[i] == "using" && statement.size() >= 4 && statement[2] == "=")
      aliases[statement[1]] = Tokens(statement.begin() + 3, statement.end());
    if (tokens[i] == "typedef" && count(statement, "{") == 0)
      add_alias(Tokens(statement.begin() + 1, statement.end()), &aliases);
  }
  return aliases;
}

// What the parameter declaration `tokens` (type and name, no default) means.
ParameterInfo parse_parameter(const Tokens& declaration, const Aliases& aliases) {
  Tokens tokens = declaration;
  ParameterInfo info;
  info.name = take_name(&tokens);
  info.type = joined(tokens);
  tokens = without_pointer_aliases(tokens, aliases);
  if (count(tokens, "&") > 0 || count(tokens, "(") > 0) return info;
  const auto star = std::find(tokens.begin(), tokens.end(), "*");
  const std::optional<ElementType> element =
      scalar_type(Tokens(tokens.begin(), star), aliases, 0);
  if (star != tokens.end()) {
    info.kind = ParameterKind::Pointer;
    info.size = 8;
    info.pointee_const = std::count(tokens.begin(), star, "const") > 0;
    if (element && count(tokens, "*") == 1) info.element = *element;
  } else if (element && element->size > 0 && element->kind != 'c') {
    info.kind = ParameterKind::Scalar;
    info.element = *element;
    info.size = element->size;
  } else if (element && element->kind == 'c') {
    info.kind = ParameterKind::Struct;
    info.element = *element;
    info.size = element->size;
  }
  return info;
}

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

std::vector<size_t> kernel_bodies(std::string_view code) {
  std::vector<size_t> ends, bodies;
  const Tokens tokens = cpp_tokens(code, &ends);
  for (const Declaration& kernel : find_kernels(tokens)) {
    const size_t brace = kernel.close;
    if (brace < tokens.size() && tokens[brace] == "{" &&
        ends[brace] != std::string_view::npos)
      bodies.push_back(ends[brace]);
  }
  return bodies;
}

}  // namespace minitorch::runtime
