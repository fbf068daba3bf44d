#include "ptx/closest_words.h"

#include <algorithm>

namespace minitorch::ptx {
namespace {

// Levenshtein's distance, row by row; long words are compared by their start.
size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, 32);
  b = b.substr(0, 32);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string closest_words(std::string_view got, std::vector<std::string_view> words,
                          std::string_view prefix) {
  constexpr size_t kShown = 4;
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (std::string_view word : words)
    ranked.emplace_back(edit_distance(got, word), word);
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), kShown));
  std::string joined;
  for (const auto& [distance, word] : ranked)
    joined += (joined.empty() ? "" : ", ") + std::string(prefix) + std::string(word);
  return joined;
}

}  // namespace minitorch::ptx
