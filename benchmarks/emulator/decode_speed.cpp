// Time to parse and decode PTX: the least of 20 runs for each file named on the command
// line, in ms for 1,000 lines.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "ptx/decode.h"

namespace {

constexpr int kRuns = 20;

double best_ms(const std::string& text) {
  double best = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    minitorch::ptx::decode(text);
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

}  // namespace

int main(int count, char** files) {
  double total = 0;
  std::ptrdiff_t lines = 0;
  for (int i = 1; i < count; ++i) {
    std::ifstream file(files[i]);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string ptx = text.str();
    const std::ptrdiff_t here = std::count(ptx.begin(), ptx.end(), '\n');
    const double ms = best_ms(ptx);
    std::printf("%-50s %6td lines %8.3f ms\n", files[i], here, ms);
    total += ms;
    lines += here;
  }
  if (lines == 0) return 1;
  std::printf("%.2f ms for 1,000 lines\n", 1000 * total / static_cast<double>(lines));
  return 0;
}
