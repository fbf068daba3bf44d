#include "base/launch_limits.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace minitorch::base {
namespace {

constexpr double kMinute = 60.0;
constexpr double kMost = 1e9;  // seconds; in nanoseconds it fits 64 bits
constexpr uint64_t kBudget = uint64_t{1} << 30;

uint64_t read_budget() {
  const char* text = std::getenv("MINITORCH_INSTRUCTION_LIMIT");
  if (text == nullptr || *text == '\0') return kBudget;
  char* end = nullptr;
  errno = 0;
  // strtoull takes a minus and turns it into a large number.
  const unsigned long long count = std::strtoull(text, &end, 10);
  const bool digits = *text >= '0' && *text <= '9' && *end == '\0';
  if (digits && errno == 0) return count;
  std::fprintf(stderr,
               "[launch] got MINITORCH_INSTRUCTION_LIMIT='%s'; need a whole number of "
               "warp instructions, 0 for no limit. Blocks have 2^30.\n",
               text);
  return kBudget;
}

double read_seconds() {
  const char* text = std::getenv("MINITORCH_TIME_LIMIT");
  if (text == nullptr || *text == '\0') return kMinute;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end != text && *end == '\0' && seconds >= 0 && seconds <= kMost) return seconds;
  std::fprintf(stderr,
               "[launch] got MINITORCH_TIME_LIMIT='%s'; need seconds, 0 (no limit) to "
               "1e9. Launches have 60 s.\n",
               text);
  return kMinute;
}

}  // namespace

uint64_t starting_time_limit() {
  static const auto nanoseconds = static_cast<uint64_t>(read_seconds() * 1e9);
  return nanoseconds;
}

uint64_t starting_budget() {
  static const uint64_t instructions = read_budget();
  return instructions;
}

bool blocking_launches() {
  static const bool on = [] {
    const char* word = std::getenv("CUDA_LAUNCH_BLOCKING");
    return word != nullptr && *word != '\0' && std::strcmp(word, "0") != 0;
  }();
  return on;
}

}  // namespace minitorch::base
