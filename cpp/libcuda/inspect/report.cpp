#include "libcuda/inspect/report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "findings/report_line.h"

namespace minitorch::libcuda {
namespace {

constexpr size_t kMostLines = 20;

}  // namespace

void print_findings(const std::vector<MtFinding>& all) {
  // The same line of the same kernel is told once, however many launches met it.
  std::map<std::string, MtFinding> first;
  std::vector<std::string> order;
  for (const MtFinding& finding : all) {
    const std::string place = findings::same_mistake_key(finding);
    const auto [known, added] = first.emplace(place, finding);
    if (added) {
      order.push_back(place);
    } else {
      known->second.count += finding.count;
    }
  }
  const size_t shown = std::min(order.size(), kMostLines);
  for (size_t i = 0; i < shown; ++i) {
    const std::string line = findings::report_line(first.at(order[i]));
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  if (order.size() > shown) {
    std::fprintf(stderr, "[emulator] and %zu more places.\n", order.size() - shown);
  }
}

}  // namespace minitorch::libcuda
