// The timing of the vector engine with observers against the same launch without,
// kernel by kernel, on one host thread; the ratio is taken within one run. Knows no bar
// to reach.
//
// Usage: observer_speed [RUNS [KERNEL]]; a row is "kernel plain_ms counters checks
// sectors trace", the last four in plain's time; the trace is one warp's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "../../tests/simt/engine_run.h"
#include "simt/lanes/isa.h"

namespace minitorch::simt {
namespace {

// Processor time: other work on the machine does not count.
double seconds_of(Launch launch, uint32_t checks) {
  launch.checks = checks;
  const std::clock_t start = std::clock();
  const Outcome outcome = run(launch);
  const std::clock_t end = std::clock();
  if (!outcome.findings.empty())
    std::printf("finding: %s\n", outcome.findings[0].detail);
  return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

std::string only;

void report(const char* name, const Launch& launch, int runs) {
  if (!only.empty() && only != name) return;
  // By turns, so that a change of clock speed meets all of them.
  double plain = 1e30, counted = 1e30, checked = 1e30, touched = 1e30, traced = 1e30;
  Launch part = launch;
  part.trace_filter.block_count = 1;  // block 0
  part.trace_filter.warps = 1;
  for (int i = 0; i < runs; ++i) {
    plain = std::min(plain, seconds_of(launch, 0));
    counted = std::min(counted, seconds_of(launch, MtCheck_Counters));
    checked = std::min(checked, seconds_of(launch, MtCheck_Counters | MtCheck_All));
    touched = std::min(touched, seconds_of(launch, MtCheck_Sectors));
    traced = std::min(traced, seconds_of(part, MtCheck_Trace));
  }
  std::printf("%-10s %9.3f %6.2f %6.2f %6.2f %6.2f\n", name, plain * 1e3,
              counted / plain, checked / plain, touched / plain, traced / plain);
  std::fflush(stdout);
}

void time_all(int runs) {
  Machine machine(read_ptx("benchmarks/kernels"));
  constexpr uint32_t kCells = 4'000'000, kBlocks = kCells / 256;
  const uint64_t in = machine.upload(std::vector<float>(kCells, 1.5f));
  const uint64_t out = machine.upload(std::vector<float>(kCells));
  const auto cells = static_cast<int>(kCells);
  report("map", machine.launch("map", {kBlocks}, {256}, out, in, cells), runs);
  report("reduce", machine.launch("reduce", {kBlocks}, {256}, out, in, cells), runs);
  const auto product = [&](const char* name, uint32_t grid, base::Dim3 block, int n) {
    report(name, machine.launch(name, {grid, grid}, block, out, in, in, n), runs);
  };
  product("naive", 16, {16, 16}, 256);
  product("tiled16", 32, {16, 16}, 512);
  product("tiled32", 16, {32, 32}, 512);
  product("regblock", 8, {256}, 512);
  product("vector4", 8, {256}, 512);
}

}  // namespace
}  // namespace minitorch::simt

int main(int argc, char** argv) {
  using namespace minitorch::simt;
  std::printf("instruction set: %s\n", isa_name(active_isa()));
  if (argc > 2) only = argv[2];
  time_all(argc > 1 ? std::max(1, std::atoi(argv[1])) : 5);
}
