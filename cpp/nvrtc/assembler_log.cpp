#include "nvrtc/assembler_log.h"

#include <charconv>

#include "base/text.h"

namespace minitorch::nvrtc {
namespace {

// The number before `words`: 24 in "0 bytes stack frame, 24 bytes spill stores".
uint64_t number_before(std::string_view line, std::string_view words) {
  const size_t end = line.find(words);
  if (end == std::string_view::npos) return 0;
  size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  uint64_t number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

}  // namespace

std::map<std::string, Spills> parse_spills(std::string_view log) {
  constexpr std::string_view kKernel = "Compiling entry function '";
  std::map<std::string, Spills> spills;
  Spills* current = nullptr;
  while (!log.empty()) {
    const std::string_view line = base::take_line(&log);
    if (const size_t at = line.find(kKernel); at != std::string_view::npos) {
      const std::string_view name = line.substr(at + kKernel.size());
      current = &spills[std::string(name.substr(0, name.find('\'')))];
    } else if (current) {
      // Functions that the kernel calls follow it, each with a line of its own.
      current->stores += number_before(line, " bytes spill stores");
      current->loads += number_before(line, " bytes spill loads");
    }
  }
  return spills;
}

std::string assembler_lines(std::string_view log) {
  std::string lines;
  while (!log.empty()) {
    const std::string_view line = base::take_line(&log);
    if (line.starts_with("ptxas ")) lines += std::string(line) + "\n";
  }
  return lines;
}

}  // namespace minitorch::nvrtc
