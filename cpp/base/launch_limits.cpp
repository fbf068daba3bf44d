// Owns the reading of MINITORCH_TIME_LIMIT and CUDA_LAUNCH_BLOCKING.
#include "base/launch_limits.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace minitorch::base {
namespace {

constexpr double kMinute = 60.0;
constexpr double kMost = 1e9;  // seconds; in nanoseconds it fits 64 bits

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

bool blocking_launches() {
  static const bool on = [] {
    const char* word = std::getenv("CUDA_LAUNCH_BLOCKING");
    return word != nullptr && *word != '\0' && std::strcmp(word, "0") != 0;
  }();
  return on;
}

}  // namespace minitorch::base
