// One line of tab-separated fields with escapes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace minitorch::nvrtc {

/// Joins with tabs; tab, newline and backslash inside a field are escaped.
std::string join_fields(const std::vector<std::string>& fields);

/// The reverse of `join_fields`.
std::vector<std::string> split_fields(std::string_view line);

}  // namespace minitorch::nvrtc
