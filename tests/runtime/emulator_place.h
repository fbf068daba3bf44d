// Opening the emulator as device "cuda" for the tests of this room.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "nvrtc/location.h"
#include "runtime/findings.h"
#include "runtime/launch_record.h"
#include "runtime/launch_site.h"
#include "runtime/stream.h"
#include "tests/nvrtc/test_place.h"

namespace minitorch::runtime {

/// Device "cuda" is the emulator; findings and tables start empty.
class EmulatorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("MINITORCH_CUDA", "emulator", 1);
    setenv("MINITORCH_EMULATOR_LIBRARY", MINITORCH_TEST_EMULATOR, 1);
  }
  void SetUp() override {
    clear_findings();
    clear_launch_table();
    set_checks(CheckLevel::Full);
  }
  void TearDown() override {
    set_wait_hook({});
    set_launch_site_provider({});
    // Whatever a failed test left behind.
    try {
      synchronize();
    } catch (const base::Error&) {
    }
  }
};

/// The same with an NVRTC and a cache folder for the test suite.
class EmulatorCompilerTest : public EmulatorTest {
 protected:
  static void SetUpTestSuite() {
    EmulatorTest::SetUpTestSuite();
    nvrtc::test_library();
    std::string pattern = testing::TempDir() + "minitorch_runtime_XXXXXX";
    folder() = mkdtemp(pattern.data());
    setenv("MINITORCH_CACHE_DIR", folder().c_str(), 1);
    nvrtc::forget_location();  // what is known of it stood in the last suite's folder
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }
  void SetUp() override {
    EmulatorTest::SetUp();
    if (nvrtc::test_library().empty())
      GTEST_SKIP() << "no NVRTC: set MINITORCH_NVRTC to a libnvrtc.so";
    setenv("MINITORCH_NVRTC", nvrtc::test_library().c_str(), 1);
  }
  static std::string& folder() {
    static std::string path;
    return path;
  }
};

}  // namespace minitorch::runtime
