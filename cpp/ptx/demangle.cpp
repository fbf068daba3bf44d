#include "ptx/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace minitorch::ptx {
namespace {

// Without the mark it is a name of C, though "g" and "f" would pass for types.
std::string demangle_fully(std::string_view name) {
  const std::string copy(name);
  if (!name.starts_with("_Z")) return copy;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> made(
      abi::__cxa_demangle(copy.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && made ? std::string(made.get()) : copy;
}

// Namespaces without a name are left out: nobody writes what the demangler calls them.
std::string demangle(std::string_view name) {
  std::string text = demangle_fully(name);
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (size_t at = 0; (at = text.find(kAnonymous, at)) != std::string::npos;)
    text.erase(at, kAnonymous.size());
  return text;
}

// Position just after the last `mark` outside of brackets, or 0.
size_t after_last(const std::string& text, std::string_view mark) {
  int depth = 0;
  size_t found = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::string_view("(<[").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")>]").find(text[i]) != std::string_view::npos) --depth;
    if (depth == 0 && text.compare(i, mark.size(), mark) == 0) found = i + mark.size();
  }
  return found;
}

// Where the argument list of a demangled function starts, or its end.
size_t argument_list(const std::string& text) {
  if (!text.ends_with(")")) return text.size();
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i == 0 ? text.size() : i;
  }
  return text.size();
}

// Templates are demangled with their result type: "void gemm<float>".
std::string without_result(std::string function) {
  if (function.find("operator") == std::string::npos)
    function.erase(0, after_last(function, " "));
  return function;
}

// NVRTC may make an array's elements and a struct's members variables of their own,
// with numbers: "s_$_1", "points_$_3_$_0".
std::string_view without_parts(std::string_view name) {
  constexpr std::string_view kMark = "_$_", kDigits = "0123456789";
  for (;;) {
    const size_t end = name.find_last_not_of(kDigits);
    const bool numbered = end != name.npos && end + 1 < name.size();
    const std::string_view stem = name.substr(0, numbered ? end + 1 : 0);
    if (!stem.ends_with(kMark) || stem == kMark) return name;
    name = stem.substr(0, stem.size() - kMark.size());
  }
}

// Python's names that are words of C++ end so in it (language/emit/cuda_text.py).
std::string as_in_python(std::string name) {
  constexpr std::string_view kSuffix = "_py_";
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  return name;
}

}  // namespace

std::string function_display(std::string_view name) {
  std::string text = demangle(name);
  text.resize(argument_list(text));
  return as_in_python(without_result(std::move(text)));
}

std::string function_signature(std::string_view name) {
  const std::string text = demangle_fully(name);
  const size_t list = argument_list(text);
  return without_result(text.substr(0, list)) + text.substr(list);
}

std::string variable_display(std::string_view name) {
  const std::string text = demangle(without_parts(name));
  return as_in_python(text.substr(after_last(text, "::")));
}

}  // namespace minitorch::ptx
