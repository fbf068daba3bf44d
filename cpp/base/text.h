// Owns the building of message texts (GCC 12 has no std::format); knows no domain.
#pragma once

#include <sstream>
#include <string>

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

}  // namespace minitorch::base
