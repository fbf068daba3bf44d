// What later launches are checked for.
#include <atomic>
#include <cstdlib>
#include <string>

#include "base/launch_limits.h"
#include "base/text.h"
#include "runtime/findings.h"

namespace minitorch::runtime {
namespace {

CheckLevel starting_level() {
  const char* word = std::getenv("MINITORCH_CHECKS");
  const std::string level = word && *word ? word : "full";
  if (level == "full") return CheckLevel::Full;
  if (level == "memory") return CheckLevel::Memory;
  throw base::ValueError(
      "cuda", base::text("got MINITORCH_CHECKS=", level, "; need full or memory."));
}

struct Settings {
  std::atomic<CheckLevel> level{starting_level()};
  std::atomic<bool> library_too{false};
  std::atomic<uint64_t> budget{base::starting_budget()};
  std::atomic<uint64_t> time_limit{base::starting_time_limit()};
};

Settings& settings() {
  static Settings made;
  return made;
}

}  // namespace

void set_checks(CheckLevel level, bool library_too) {
  settings().level = level;
  settings().library_too = library_too;
}

CheckLevel checks() { return settings().level; }

uint32_t check_bits(bool user_kernel) {
  const bool on = user_kernel || settings().library_too;
  return on ? check_bits(settings().level) : 0;
}

uint32_t check_bits(CheckLevel level) {
  if (level != CheckLevel::Full) return 0;
  return MtCheck_All;
}

void set_budget(uint64_t warp_instructions) { settings().budget = warp_instructions; }

uint64_t budget() { return settings().budget; }

void set_time_limit(uint64_t nanoseconds) { settings().time_limit = nanoseconds; }

uint64_t time_limit() { return settings().time_limit; }

}  // namespace minitorch::runtime
