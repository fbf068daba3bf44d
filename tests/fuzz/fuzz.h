// What the fuzzers share: options, random choices, the loop over inputs, and what
// is told of an input that crashes or hangs. Knows no input.
//
// Input number i of a run is made from seed + i alone: `--seed N --count 1 --show` runs
// the one that a message names, and prints it first.
#pragma once

#include <execinfo.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <random>
#include <string>
#include <vector>

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace fuzz {

struct Options {
  uint64_t seed = 1;
  uint64_t count = ~uint64_t{0};
  double seconds = 0;     // 0: until `count`
  int hang_seconds = 20;  // of processor time for one input
  bool show = false;
  std::vector<std::string> files;  // run instead of what is made from seeds

  std::vector<std::string> flags;  // of the program's own that were given

  Options(int argc, char** argv, const std::vector<std::string>& known = {}) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      const auto value = [&]() -> const char* {
        if (++i < argc) return argv[i];
        std::fprintf(stderr, "[fuzz] got %s alone; need a value.\n", word.c_str());
        std::exit(2);
      };
      if (word == "--seed") {
        seed = std::strtoull(value(), nullptr, 0);
      } else if (word == "--count") {
        count = std::strtoull(value(), nullptr, 0);
      } else if (word == "--seconds") {
        seconds = std::strtod(value(), nullptr);
      } else if (word == "--show") {
        show = true;
      } else if (word == "--run") {
        files.emplace_back(value());
      } else if (std::find(known.begin(), known.end(), word) != known.end()) {
        flags.push_back(word);
      } else {
        std::fprintf(stderr,
                     "[fuzz] got %s; need --seed N, --count M, --seconds S, --show or "
                     "--run FILE.\n",
                     word.c_str());
        std::exit(2);
      }
    }
    if (seconds == 0 && count == ~uint64_t{0}) count = 1000;
  }
  bool has(const char* flag) const {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  }
};

/// Exit status of a program that lacks what it needs (CTest's SKIP_RETURN_CODE).
inline constexpr int kSkipped = 77;

/// Choices made from one number.
class Random {
 public:
  explicit Random(uint64_t seed) : bits_(seed * 0x9e3779b97f4a7c15 + 1) {}

  uint64_t bits() { return bits_(); }
  uint64_t below(uint64_t limit) { return bits_() % limit; }
  bool one_in(uint64_t number) { return below(number) == 0; }
  template <class T>
  const T& of(const std::vector<T>& values) {
    return values[below(values.size())];
  }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  std::string of(std::initializer_list<const char*> values) {
    return values.begin()[below(values.size())];
  }

 private:
  std::mt19937_64 bits_;
};

/// The input that runs now; signal handlers read it.
inline volatile uint64_t current_seed = 0;

inline void tell_seed(const char* what) {
  char text[96];
  const int size = std::snprintf(text, sizeof text, "\n[fuzz] %s at --seed %llu\n",
                                 what, static_cast<unsigned long long>(current_seed));
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text, static_cast<size_t>(size));
  void* frames[48];  // of the thread that crashed; for `addr2line -Cfe LIBRARY ADDRESS`
  backtrace_symbols_fd(frames, backtrace(frames, 48), STDERR_FILENO);
}

/// From now on a crash, an abort and an input that takes too long name their seed.
inline void watch() {
  for (const int signal : {SIGPROF, SIGALRM}) {
    std::signal(signal, [](int) {
      tell_seed("hang");
      _exit(3);
    });
  }
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback([] { tell_seed("sanitizer report"); });
    return;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    std::signal(signal, [](int number) {
      tell_seed("crash");
      std::signal(number, SIG_DFL);
      std::raise(number);
    });
  }
}

/// Of processor time; ten times as much may pass, for threads that wait for each other.
inline void allow_seconds(int seconds) {
  const itimerval used = {{0, 0}, {seconds, 0}}, passed = {{0, 0}, {10 * seconds, 0}};
  setitimer(ITIMER_PROF, &used, nullptr);
  setitimer(ITIMER_REAL, &passed, nullptr);
}

/// Runs `one(seed)` for each input; it answers with the name of the outcome, which are
/// counted. An outcome that begins with '!' is a defect: its seed is told, and the
/// program fails.
template <class One>
int run(const char* name, const Options& options, One one) {
  using Clock = std::chrono::steady_clock;
  watch();
  const auto start = Clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  std::map<std::string, uint64_t> outcomes;
  uint64_t inputs = 0, defects = 0;
  for (; inputs < options.count; ++inputs) {
    if (options.seconds != 0 && passed() >= options.seconds) break;
    current_seed = options.seed + inputs;
    allow_seconds(options.hang_seconds);
    const std::string outcome = one(options.seed + inputs);
    ++outcomes[outcome];
    if (outcome.empty() || outcome[0] != '!') continue;
    ++defects;
    std::fprintf(stderr, "[fuzz] %s: %s at --seed %llu\n", name, outcome.c_str() + 1,
                 static_cast<unsigned long long>(options.seed + inputs));
  }
  allow_seconds(0);
  std::printf("%s: %llu inputs from seed %llu in %.1f s, %llu defects\n", name,
              static_cast<unsigned long long>(inputs),
              static_cast<unsigned long long>(options.seed), passed(),
              static_cast<unsigned long long>(defects));
  for (const auto& [outcome, times] : outcomes) {
    std::printf("  %8llu %s\n", static_cast<unsigned long long>(times),
                outcome.c_str());
  }
  return defects == 0 ? 0 : 1;
}

}  // namespace fuzz
