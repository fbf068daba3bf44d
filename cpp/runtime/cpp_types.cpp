// Owns reading a parameter's declaration. Must not know functions.
#include "runtime/cpp_types.h"

#include <algorithm>
#include <set>

namespace minitorch::runtime {
namespace {

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

}  // namespace

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

}  // namespace minitorch::runtime
