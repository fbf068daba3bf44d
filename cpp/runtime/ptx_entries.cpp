// Owns a shallow reading of PTX: only entry heads. Must not know instructions.
#include "runtime/ptx_entries.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "base/text.h"
#include "runtime/cpp_tokens.h"

namespace minitorch::runtime {
namespace {

// `$` and `.` are parts of PTX words that the C++ scanner cuts; entries use them
// rarely, so names are read from the text itself.
bool name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}

ParameterInfo parse_param(const Tokens& tokens) {
  ParameterInfo info;
  size_t elements = 1;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    if (token == "[" && i + 1 < tokens.size())
      elements = std::strtoull(tokens[i + 1].c_str(), nullptr, 10);
    const bool typed = i > 0 && tokens[i - 1] == "." && token.size() >= 2 &&
                       std::string_view("fusb").find(token[0]) != std::string::npos &&
                       std::isdigit(static_cast<unsigned char>(token[1]));
    if (!typed) continue;
    const uint32_t bytes = static_cast<uint32_t>(std::atoi(token.c_str() + 1)) / 8;
    info.element = {token[0] == 'f' ? 'f' : 'u', bytes};
    info.size = bytes;
    info.type = base::text(".", token);
    if (token[0] == 'f') info.kind = ParameterKind::Scalar;
  }
  if (elements > 1) {
    info.kind = ParameterKind::Struct;
    info.size *= elements;
    info.element = {'V', static_cast<uint32_t>(info.size)};
    info.type += base::text("[", elements, "]");
  }
  return info;
}

constexpr std::string_view kAnonymous = "(anonymous namespace)::";

// Without the return type that templates have: "void ns::scale<float>(float*)".
std::string without_result(const std::string& full) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < full.size(); ++i) {
    if (std::string_view(full).substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;  // its blank ends no type
      continue;
    }
    if (full[i] == '(' && depth == 0) break;  // the parameter list
    if (full[i] == '<' || full[i] == '(') ++depth;
    if (full[i] == '>' || full[i] == ')') --depth;
    if (full[i] == ' ' && depth == 0) begin = i + 1;
  }
  return full.substr(begin);
}

std::string demangled(const std::string& entry) {
  // Without this mark it is a name of C, though "g" and "f" would pass for types.
  if (!entry.starts_with("_Z")) return entry;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> full(
      abi::__cxa_demangle(entry.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && full ? without_result(full.get()) : entry;
}

}  // namespace

std::vector<PtxEntry> ptx_entries(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry";
  std::vector<PtxEntry> entries;
  for (size_t at = ptx.find(kEntry); at != std::string_view::npos;
       at = ptx.find(kEntry, at)) {
    at += kEntry.size();
    size_t begin = ptx.find_first_not_of(" \t\r\n", at);
    if (begin == at || begin == std::string_view::npos) continue;
    size_t end = begin;
    while (end < ptx.size() && name_part(ptx[end])) ++end;
    PtxEntry entry{std::string(ptx.substr(begin, end - begin)), {}};
    const size_t open = ptx.find_first_not_of(" \t\r\n", end);
    if (open != std::string_view::npos && ptx[open] == '(') {
      const size_t close = std::min(ptx.find(')', open), ptx.size());
      const Tokens tokens = cpp_tokens(ptx.substr(open + 1, close - open - 1));
      for (const Tokens& part : split_commas(tokens, 0, tokens.size()))
        if (!part.empty()) entry.parameters.push_back(parse_param(part));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string readable_name(const std::string& entry) {
  std::string name = demangled(entry);
  for (size_t at = name.find(kAnonymous); at != std::string::npos;
       at = name.find(kAnonymous, at))
    name.erase(at, kAnonymous.size());
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
  }
  return name;
}

std::string full_name(const std::string& entry) { return demangled(entry); }

}  // namespace minitorch::runtime
