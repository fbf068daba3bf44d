// The suggestions in messages: the known words most like a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace minitorch::ptx {

/// Up to four of `words`, the most similar to `got` first, each after `prefix`, joined
/// by commas: "ld.global, ld.local".
std::string closest_words(std::string_view got, std::vector<std::string_view> words,
                          std::string_view prefix);

}  // namespace minitorch::ptx
