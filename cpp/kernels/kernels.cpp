#include "kernels/kernels.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "kernels/embedded.h"

namespace minitorch::kernels {

std::string_view source(std::string_view file) {
  for (const EmbeddedFile& embedded : embedded_files()) {
    if (embedded.name == file) return embedded.text;
  }
  std::string known;
  for (std::string_view name : names()) {
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw base::ValueError("kernels",
                         base::text("got file '", file, "'; need one of ", known, "."));
}

std::span<const std::string_view> names() {
  static const std::vector<std::string_view> sorted = [] {
    std::vector<std::string_view> all;
    for (const EmbeddedFile& embedded : embedded_files()) all.push_back(embedded.name);
    std::sort(all.begin(), all.end());
    return all;
  }();
  return sorted;
}

}  // namespace minitorch::kernels
