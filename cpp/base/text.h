// The building and cutting of message texts (GCC 12 has no std::format); knows no
// domain.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

namespace minitorch::base {

/// Joins its arguments as `operator<<` prints them: `text("got ", 3, "; need ", 4)`.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// `(2, 3)`, `(4,)` and `()` as Python prints a tuple.
template <class Range>
std::string tuple_text(const Range& values) {
  std::ostringstream out;
  size_t count = 0;
  out << '(';
  for (const auto& value : values) out << (count++ ? ", " : "") << value;
  if (count == 1) out << ',';
  out << ')';
  return out.str();
}

/// The start of a text in UTF-8, of at most `bytes` bytes, that ends between two
/// characters. What is not UTF-8 is cut where it is full.
inline std::string_view first_bytes(std::string_view text, size_t bytes) {
  constexpr size_t kMostBehind = 3;  // bytes of a character behind its first
  if (text.size() <= bytes) return text;
  const auto continues = [&](size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  size_t end = bytes;
  while (end > 0 && bytes - end < kMostBehind && continues(end)) --end;
  return text.substr(0, continues(end) ? bytes : end);
}

/// The first line of `*rest`, without its end; `*rest` becomes what stands behind it.
inline std::string_view take_line(std::string_view* rest) {
  const size_t end = rest->find('\n');
  const std::string_view line = rest->substr(0, end);
  rest->remove_prefix(end == std::string_view::npos ? rest->size() : end + 1);
  return line;
}

/// Copies what fits, and a zero behind it, into a field of a C struct.
template <size_t kSize>
void copy_text(char (&to)[kSize], std::string_view from) {
  const std::string_view fits = first_bytes(from, kSize - 1);
  std::copy(fits.begin(), fits.end(), to);
  to[fits.size()] = '\0';
}

}  // namespace minitorch::base
