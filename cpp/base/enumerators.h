// The proof, while compiling, that a table has one row for each enumerator, in their
// order; knows no table.
#pragma once

#include <cstddef>
#include <string_view>

namespace minitorch::base {

/// Has this value a name in its enum? The compiler spells one without as a cast,
/// "(Unary)20".
template <auto value>
constexpr bool is_enumerator() {
  const std::string_view spelled = __PRETTY_FUNCTION__;
  const size_t at = spelled.rfind("value = ");
  return spelled[at + std::string_view("value = ").size()] != '(';
}

/// Row i is that of enumerator i, which `of_row(row)` says, and there is no enumerator
/// behind the last row. For a static_assert beside the table.
template <const auto& rows, class OfRow>
constexpr bool rows_follow_enumerators(OfRow of_row) {
  using Enum = decltype(of_row(rows[0]));
  size_t count = 0;
  for (const auto& row : rows)
    if (static_cast<size_t>(of_row(row)) != count++) return false;
  constexpr size_t kRows = sizeof rows / sizeof rows[0];
  return is_enumerator<static_cast<Enum>(kRows - 1)>() &&
         !is_enumerator<static_cast<Enum>(kRows)>();
}

}  // namespace minitorch::base
