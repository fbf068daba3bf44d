// The timing of the vector engine alone, without driver and Python: best of
// several runs of map, reduce and tiled matmul, one host thread and more. Knows no bar
// to reach.
//
// Usage: engine_speed FOLDER-WITH-PTX [THREADS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "../../tests/simt/engine_run.h"
#include "simt/lanes/isa.h"

namespace minitorch::simt {
namespace {

// Processor time with one thread (other work on the machine does not count), else time.
double now(size_t threads) {
  if (threads == 1) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

double best_of(int runs, size_t threads, const std::function<void()>& body) {
  double best = 1e30;
  for (int i = 0; i < runs; ++i) {
    const double start = now(threads);
    body();
    best = std::min(best, now(threads) - start);
  }
  return best;
}

double time_of(Launch launch, size_t threads, int runs, uint64_t* instructions) {
  launch.threads = threads;
  return best_of(runs, threads, [&] {
    const Outcome outcome = run(launch);
    if (!outcome.findings.empty())
      std::printf("finding: %s\n", outcome.findings[0].detail);
    *instructions = outcome.warp_instructions;
  });
}

void report(const char* name, double seconds, double work, const char* unit,
            uint64_t instructions) {
  std::printf("%-22s %9.3f ms  %8.2f %s  %7.1f M warp instructions/s\n", name,
              seconds * 1e3, work / seconds / 1e9, unit,
              static_cast<double>(instructions) / seconds / 1e6);
}

void time_all(const std::string& folder, size_t threads) {
  const auto text = [&](const char* name) {
    std::ifstream file(folder + "/" + name);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
  };
  uint64_t instructions = 0;
  for (int n : {256, 512}) {
    Machine machine(text("matmul.ptx"));
    const std::vector<float> values(static_cast<size_t>(n * n), 1.5f);
    const uint64_t a = machine.upload(values), b = machine.upload(values);
    const uint64_t c = machine.upload(values);
    const uint32_t tiles = static_cast<uint32_t>(n / 16);
    const auto launch = machine.launch("matmul", {tiles, tiles}, {16, 16}, c, a, b, n);
    const double seconds = time_of(launch, threads, 5, &instructions);
    const double flops = 2.0 * n * n * n;
    report(n == 256 ? "matmul 16x16 n=256" : "matmul 16x16 n=512", seconds, flops,
           "GFLOP/s", instructions);
  }
  const int n = 10'000'000;
  const std::vector<float> values(static_cast<size_t>(n), 1.0f);
  {
    Machine machine(text("map.ptx"));
    const uint64_t in = machine.upload(values), out = machine.upload(values);
    const auto launch = machine.launch("map", {(n + 255) / 256}, {256}, out, in, n);
    const double seconds = time_of(launch, threads, 5, &instructions);
    report("map 1e7", seconds, 8.0 * n, "GB/s   ", instructions);
  }
  Machine machine(text("reduce.ptx"));
  const uint64_t in = machine.upload(values), out = machine.upload(values);
  const auto launch = machine.launch("reduce", {(n + 255) / 256}, {256}, out, in, n);
  const double seconds = time_of(launch, threads, 5, &instructions);
  report("reduce 1e7", seconds, 4.0 * n, "GB/s   ", instructions);
}

}  // namespace
}  // namespace minitorch::simt

int main(int argc, char** argv) {
  using namespace minitorch::simt;
  if (argc < 2) {
    std::fprintf(stderr, "usage: engine_speed FOLDER [THREADS]\n");
    return 2;
  }
  std::printf("instruction set: %s\n", isa_name(active_isa()));
  time_all(argv[1], argc > 2 ? static_cast<size_t>(std::atoi(argv[2])) : 1);
}
