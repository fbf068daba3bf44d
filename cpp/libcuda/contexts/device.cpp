#include "libcuda/contexts/device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "base/thread_pool.h"

namespace minitorch::libcuda {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

std::optional<uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

uint64_t free_in_machine() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  uint64_t kib = 0;
  while (file >> key >> kib) {
    if (key == "MemAvailable:") return kib * 1024;
    std::getline(file, unit);
  }
  return kUnlimited;
}

uint64_t free_in_folder(const std::string& folder, const char* limit,
                        const char* used) {
  const auto most = number_in(folder + limit), now = number_in(folder + used);
  if (!most || !now) return kUnlimited;
  return *most > *now ? *most - *now : 0;
}

/// The tightest limit on the way from this process's group to the root (version 2, or
/// the memory controller of version 1).
uint64_t free_in_cgroup() {
  std::ifstream groups("/proc/self/cgroup");
  uint64_t least = kUnlimited;
  for (std::string line; std::getline(groups, line);) {
    const size_t second = line.find(':', line.find(':') + 1);
    if (second == std::string::npos) continue;
    const bool unified = line.rfind("0::", 0) == 0;
    if (!unified && line.find(":memory:") == std::string::npos) continue;
    std::string path = line.substr(second + 1);
    while (true) {
      std::string tail = path;
      if (tail.empty() || tail.back() != '/') tail += '/';
      least = std::min(least, unified ? free_in_folder("/sys/fs/cgroup" + tail,
                                                       "memory.max", "memory.current")
                                      : free_in_folder("/sys/fs/cgroup/memory" + tail,
                                                       "memory.limit_in_bytes",
                                                       "memory.usage_in_bytes"));
      if (path.size() <= 1) break;
      const size_t slash = path.rfind('/');
      if (slash == std::string::npos) break;
      path.resize(std::max<size_t>(slash, 1));  // the parent; at last "/" itself
    }
  }
  return least;
}

/// MINITORCH_EMULATED_MEMORY in bytes; none, and a sentence on stderr, for what is no
/// such number.
std::optional<uint64_t> asked_memory(const base::CardProfile& profile) {
  constexpr uint64_t kLeast = 16;  // MiB
  const char* text = std::getenv("MINITORCH_EMULATED_MEMORY");
  if (text == nullptr || *text == '\0') return std::nullopt;
  const uint64_t most = profile.memory_bytes / kMiB;
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  const bool digits = *text >= '0' && *text <= '9' && *end == '\0';
  if (digits && value >= kLeast && value <= most) return value * kMiB;
  std::fprintf(stderr,
               "[emulator] got MINITORCH_EMULATED_MEMORY='%s'; need MiB, a whole "
               "number from %llu to %llu on this card. The setting is ignored.\n",
               text, static_cast<unsigned long long>(kLeast),
               static_cast<unsigned long long>(most));
  return std::nullopt;
}

}  // namespace

const base::CardProfile* chosen_profile() {
  const char* name = std::getenv("MINITORCH_EMULATED_GPU");
  if (name == nullptr || *name == '\0') name = "t4";
  const base::CardProfile* profile = base::find_card_profile(name);
  if (profile != nullptr) return profile;
  std::string known;
  for (const auto& card : base::card_profiles()) {
    if (!known.empty()) known += ", ";
    known += card.key;
  }
  std::fprintf(stderr, "[emulator] got MINITORCH_EMULATED_GPU='%s'; need one of %s.\n",
               name, known.c_str());
  return nullptr;
}

uint64_t free_host_memory() { return std::min(free_in_machine(), free_in_cgroup()); }

uint64_t memory_capacity(const base::CardProfile& profile) {
  if (const std::optional<uint64_t> asked = asked_memory(profile)) return *asked;
  const uint64_t half = free_host_memory() / 2 / kMiB * kMiB;
  return std::min<uint64_t>(profile.memory_bytes, std::max(half, 16 * kMiB));
}

bool is_deterministic() {
  const char* text = std::getenv("MINITORCH_DETERMINISTIC");
  return text != nullptr && std::strcmp(text, "1") == 0;
}

size_t launch_threads() {
  // Blocks of one host thread commit in the order of their numbers.
  if (is_deterministic()) return 1;
  const char* text = std::getenv("MINITORCH_EMULATOR_THREADS");
  if (text != nullptr) {
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && value >= 1 && value <= 1024) {
      return static_cast<size_t>(value);
    }
    std::fprintf(stderr,
                 "[emulator] got MINITORCH_EMULATOR_THREADS='%s'; need a number from 1 "
                 "to 1024.\n",
                 text);
  }
  return base::available_processors();
}

}  // namespace minitorch::libcuda
