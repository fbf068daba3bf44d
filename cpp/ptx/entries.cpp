#include "ptx/entries.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/text.h"

namespace minitorch::ptx {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         c == '%';
}

uint64_t number_at(std::string_view text, size_t at) {
  return std::strtoull(std::string(text.substr(at, 24)).c_str(), nullptr, 10);
}

std::string without_comments(std::string_view text) {
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const std::string_view mark = text.substr(at, 2);
    if (mark != "//" && mark != "/*") {
      kept += text[at++];
      continue;
    }
    const std::string_view end = mark == "//" ? "\n" : "*/";
    at = std::min(text.find(end, at + 2), text.size() - end.size()) + end.size();
    kept += ' ';
  }
  return kept;
}

// ".param .align 4 .b8 name[12]"
EntryParameter read_parameter(std::string_view text) {
  EntryParameter found;
  for (size_t dot = text.find('.'); dot != std::string_view::npos;
       dot = text.find('.', dot + 1)) {
    if (dot + 2 >= text.size() || !digit(text[dot + 2])) continue;
    if (std::string_view("fusb").find(text[dot + 1]) == std::string_view::npos)
      continue;
    found.letter = text[dot + 1];
    const uint64_t bits = number_at(text, dot + 2);
    found.element = static_cast<uint32_t>(bits / 8);
    found.type = base::text(".", found.letter, bits);
  }
  if (const size_t open = text.find('['); open != std::string_view::npos)
    found.elements = number_at(text, open + 1);
  if (found.elements > 1) found.type += base::text("[", found.elements, "]");
  return found;
}

// What stands between the parentheses, each parameter up to its comma.
std::vector<EntryParameter> read_parameters(std::string_view text) {
  std::vector<EntryParameter> found;
  const std::string plain = without_comments(text);
  std::string_view list = plain;
  while (list.find_first_not_of(kBlanks) != std::string_view::npos) {
    const size_t comma = std::min(list.find(','), list.size());
    found.push_back(read_parameter(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return found;
}

}  // namespace

std::vector<Entry> read_entries(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry";
  std::vector<Entry> entries;
  for (size_t at = ptx.find(kEntry); at != std::string_view::npos;
       at = ptx.find(kEntry, at)) {
    at += kEntry.size();
    const size_t begin = ptx.find_first_not_of(kBlanks, at);
    if (begin == at || begin == std::string_view::npos) continue;
    size_t end = begin;
    while (end < ptx.size() && in_name(ptx[end])) ++end;
    Entry entry{std::string(ptx.substr(begin, end - begin)), {}};
    const size_t open = ptx.find_first_not_of(kBlanks, end);
    if (open != std::string_view::npos && ptx[open] == '(') {
      const size_t close = std::min(ptx.find(')', open), ptx.size());
      entry.parameters = read_parameters(ptx.substr(open + 1, close - open - 1));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace minitorch::ptx
