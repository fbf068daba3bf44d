// Where tests that compile find NVRTC and keep their cache.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "nvrtc/compiler.h"
#include "nvrtc/location_index.h"

namespace minitorch::nvrtc {

/// The library to test with; "" when there is none.
inline std::string test_library() {
  static const std::string found = [] {
    const char* named = std::getenv("MINITORCH_NVRTC");
    return std::string(named && *named ? named : MINITORCH_TEST_NVRTC);
  }();
  return found;
}

/// A row of the index for the file at `library`, as it is now.
inline IndexRow index_row(const std::string& environment, const std::string& library,
                          std::vector<std::string> include_dirs = {}) {
  IndexRow row;
  row.environment = environment;
  row.location.library = library;
  row.location.include_dirs = std::move(include_dirs);
  row.stamp = file_stamp(library).value();
  row.version = 13005;
  return row;
}

/// A fresh cache folder and no remembered state, for one test.
class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    test_library();  // reads the variable before it goes
    unsetenv("MINITORCH_NVRTC");
    std::string pattern = testing::TempDir() + "minitorch_cache_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    setenv("MINITORCH_CACHE_DIR", folder_.c_str(), 1);
    forget_all();
  }
  void TearDown() override {
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(folder_);
    unsetenv("MINITORCH_CACHE_DIR");
    unsetenv("MINITORCH_NVRTC");
    forget_all();
  }
  void forget_all() {
    clear_memory_cache();
    forget_location();
  }
  std::string folder_;
};

/// The same where the test needs a compiler.
class CompilerTest : public CacheTest {
 protected:
  void SetUp() override {
    CacheTest::SetUp();
    if (test_library().empty())
      GTEST_SKIP() << "no NVRTC: set MINITORCH_NVRTC to a libnvrtc.so";
    setenv("MINITORCH_NVRTC", test_library().c_str(), 1);
  }
};

}  // namespace minitorch::nvrtc
