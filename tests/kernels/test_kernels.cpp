// Holds the embedded sources to be the files of the room; compiles nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/kernels.h"

namespace minitorch::kernels {
namespace {

TEST(Kernels, EveryFileIsEmbeddedWholeAndInOrder) {
  const auto all = names();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  for (const char* file :
       {"copy.cu", "fill.cu", "layout.cuh", "map.cu", "matmul_naive.cu",
        "matmul_tiled.cu", "reduce.cu", "spec.cuh", "zip.cu"}) {
    EXPECT_NE(std::find(all.begin(), all.end(), file), all.end()) << file;
  }
  EXPECT_EQ(source("map.cu").substr(0, 2), "//");
  EXPECT_TRUE(source("map.cu").ends_with("}\n"));
}

TEST(Kernels, EveryKernelIsNamedAsItsFile) {
  for (std::string_view file : names()) {
    if (!file.ends_with(".cu")) continue;
    const std::string stem(file.substr(0, file.size() - 3));
    EXPECT_NE(source(file).find("__global__ void " + stem + "("),
              std::string_view::npos)
        << file;
  }
}

TEST(Kernels, UnknownFileNamesTheKnownOnes) {
  try {
    source("conv.cu");
    FAIL() << "must throw";
  } catch (const base::ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("matmul_tiled.cu"), std::string::npos);
  }
}

}  // namespace
}  // namespace minitorch::kernels
