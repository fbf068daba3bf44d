// Tests what only a process of its own can show: exit with work in flight, fork,
// unloading, another libcuda beside ours, settings by environment.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace {

/// Output (both streams) and exit status of a scenario of client.cpp; 124 if it hangs.
struct Ended {
  std::string output;
  int status = -1;
};

Ended run_client(const std::string& scenario, const std::string& environment = "") {
  const std::string command = environment + " timeout 60 " +
                              std::string(MINITORCH_DRIVER_CLIENT) + " " + scenario +
                              " 2>&1";
  Ended ended;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ended;
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) ended.output += buffer;
  ended.status = pclose(pipe);
  return ended;
}

void expect_output(const std::string& scenario, const std::string& output,
                   const std::string& environment = "") {
  const Ended ended = run_client(scenario, environment);
  EXPECT_EQ(ended.output, output) << scenario;
  EXPECT_EQ(ended.status, 0) << scenario;
}

TEST(Process, CallsBeforeInitSaySo) { expect_output("uninitialised", "3 3 0\n"); }

TEST(Process, ExitWithWorkInFlightEnds) {
  expect_output("exit_in_flight", "leaving\n");
  expect_output("exit_with_full_queues", "leaving\n");
  expect_output("exit_in_callback", "leaving\n");
}

TEST(Process, FaultsNobodyTookArePrintedAtExit) {
  expect_output(
      "fault_at_exit",
      "[emulator] oob_global in unguarded: write of 4 bytes, just past the end of "
      "'data' (4096 bytes): thread (0,0,0) of block (32,0,0).\n");
}

TEST(Process, RepeatedFindingsArePrintedOnce) {
  expect_output(
      "many_findings",
      "[emulator] uninit_global in add_one: read of 4 bytes at offset 0 of an "
      "allocation (32 bytes): thread (0,0,0) of block (0,0,0); seen 80 times.\n");
}

TEST(Process, KernelsPrintToStdoutOrToTheCallback) {
  expect_output("print_to_stdout", "hello 7\nhello 7\ncallback 0\n");
  expect_output("print_to_callback", "callback 16\n");
}

TEST(Process, CallsAtExitWorkUntilTheDriversEnd) {
  expect_output("late_calls", "early 0 0\nlate 4\n");
}

TEST(Process, ForkedChildIsToldAndParentGoesOn) {
  // A sanitizer's leak check at the child's exit would look for the parent's threads.
  expect_output("calls_after_fork", "parent 0\nchild 3 3 3 3\nparent 0 0\n",
                "ASAN_OPTIONS=detect_leaks=0");
  expect_output("fork_before_init", "child 0\nparent 0\n");
}

TEST(Process, UnloadingWithWorkInFlightIsSafe) { expect_output("unload", "again 0\n"); }

TEST(Process, AnotherLibcudaAndOursNeverMix) {
  const std::string apart = "fake 77 inside 77 ours 1 table 1 pointers 1\n";
  expect_output("fake_first", apart);
  expect_output("fake_second", apart);
}

TEST(Process, ProfileIsChosenByName) {
  expect_output("plain_init", "init 0 NVIDIA A100-SXM4-40GB (emulated by minitorch)\n",
                "MINITORCH_EMULATED_GPU=a100");
  expect_output(
      "plain_init",
      "[emulator] got MINITORCH_EMULATED_GPU='titan'; need one of t4, rtx3090, "
      "a100, h100, h200.\ninit 101 \n",
      "MINITORCH_EMULATED_GPU=titan");
}

TEST(Process, LaunchBlockingReturnsTheFaultAtTheLaunch) {
  expect_output("blocking_launch", "launch 700\nfindings 1\n",
                "CUDA_LAUNCH_BLOCKING=1");
}

TEST(Process, MemoryAndBudgetAreSettings) {
  expect_output("settings", "256 MiB, ended\n", "MINITORCH_EMULATED_MEMORY=256");
  expect_output("settings", "16 MiB, timeout\n",
                "MINITORCH_EMULATED_MEMORY=16 MINITORCH_INSTRUCTION_LIMIT=5000");
  expect_output("settings", "64 MiB, ended\n",
                "MINITORCH_EMULATED_MEMORY=64 MINITORCH_INSTRUCTION_LIMIT=0");
}

TEST(Process, AddressesMayBeFew) {
  // The sanitizer's own shadow takes terabytes of them.
#if !defined(__SANITIZE_ADDRESS__)
  expect_output("settings", "256 MiB, ended\n",
                "ulimit -v 2500000; MINITORCH_EMULATED_MEMORY=256");
#endif
}

TEST(Process, WrongSettingsAreToldAndIgnored) {
  for (const char* wrong :
       {"15", "-1", "16385", "many", "256MB", "1e3", "99999999999999999999"}) {
    const Ended ended =
        run_client("settings", "MINITORCH_EMULATED_MEMORY=" + std::string(wrong));
    EXPECT_EQ(ended.output.rfind("[emulator] got MINITORCH_EMULATED_MEMORY='" +
                                     std::string(wrong) +
                                     "'; need MiB, a whole number from 16 to ",
                                 0),
              0)
        << ended.output;
    EXPECT_NE(ended.output.find("MiB, ended\n"), std::string::npos) << ended.output;
  }
  for (const char* wrong : {"-1", "+5", "2^30", "1e3", "99999999999999999999"}) {
    const Ended ended = run_client(
        "settings", "MINITORCH_EMULATED_MEMORY=16 MINITORCH_INSTRUCTION_LIMIT=" +
                        std::string(wrong));
    EXPECT_EQ(ended.output, "[launch] got MINITORCH_INSTRUCTION_LIMIT='" +
                                std::string(wrong) +
                                "'; need a whole number of warp instructions, 0 for no "
                                "limit. Blocks have 2^30.\n16 MiB, ended\n");
  }
  expect_output("settings", "16 MiB, ended\n",
                "MINITORCH_EMULATED_MEMORY=16 MINITORCH_INSTRUCTION_LIMIT=");
}

TEST(Process, BlocksCommitInOrderWhenAskedTo) {
  expect_output("block_order", "in order\n",
                "MINITORCH_DETERMINISTIC=1 MINITORCH_EMULATOR_THREADS=4");
  expect_output("block_order", "in order\n", "MINITORCH_EMULATOR_THREADS=1");
}

}  // namespace
