// Tests that our declarations of the driver API are those of NVIDIA's cuda.h, and that
// what other rooms call exists among the exports.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "facts.h"

namespace cuda_abi {
namespace {

#ifdef MINITORCH_HAVE_CUDA_HEADER

template <class Value>
void expect_equal(const std::map<std::string, Value>& ours,
                  const std::map<std::string, Value>& theirs) {
  EXPECT_EQ(ours.size(), theirs.size());
  for (const auto& [name, value] : ours) {
    const auto found = theirs.find(name);
    ASSERT_NE(found, theirs.end()) << name;
    EXPECT_EQ(value, found->second) << name;
  }
}

TEST(CudaAbi, EnumeratorsAreNvidias) {
  const Facts ours = our_facts();
  EXPECT_GT(ours.enumerators.size(), 30u);
  expect_equal(ours.enumerators, nvidia_facts().enumerators);
}

/// Every `NAME = number` of the header, one a line; an older header lacks some names.
std::map<std::string, int> numbers_in_header() {
  std::ifstream file(MINITORCH_CUDA_HEADER);
  const std::regex pattern("(CU\\w+)\\s*=\\s*(\\d+)");
  std::map<std::string, int> numbers;
  std::smatch found;
  for (std::string line; std::getline(file, line);) {
    if (line.find('=') == std::string::npos || line.size() > 200) continue;
    if (std::regex_search(line, found, pattern))
      numbers[found[1]] = std::stoi(found[2]);
  }
  return numbers;
}

TEST(CudaAbi, ListsOfResultsAndAttributesAreNvidias) {
  const auto numbers = numbers_in_header();
  int compared = 0;
  const auto compare = [&](const std::string& name, int ours) {
    const auto theirs = numbers.find(name);
    if (theirs == numbers.end()) return;
    EXPECT_EQ(ours, theirs->second) << name;
    ++compared;
  };
#define CU_RESULT(name, value, text) compare(#name, value);
#include "cuda_abi/results.inc"
#define CU_DEVICE_ATTRIBUTE(name, number) compare("CU_DEVICE_ATTRIBUTE_" #name, number);
#include "cuda_abi/device_attributes.inc"
  EXPECT_GT(compared, 200);
}

TEST(CudaAbi, SizesAndOffsetsAreNvidias) {
  expect_equal(our_facts().sizes, nvidia_facts().sizes);
}

TEST(CudaAbi, EveryExportHasTheShapeOfItsVersion) {
  const Facts ours = our_facts();
  EXPECT_GT(ours.functions.size(), 90u);
  expect_equal(ours.functions, nvidia_facts().functions);
}

#else

TEST(CudaAbi, IsComparedWithNvidiasHeader) {
  GTEST_SKIP()
      << "cuda.h of CUDA 13 was not found; install the wheel nvidia-cuda-runtime or a "
         "toolkit, 13.0 or newer, and configure again.";
}

#endif

TEST(CudaAbi, WhatOtherRoomsCallIsExported) {
  std::set<std::string> exported;
#define CU_EXPORT(base, symbol, ...) exported.insert(#symbol);
#define CU_EXPORT_EARLY CU_EXPORT
#define CU_EXPORT_STREAM(suffix, base, symbol, ...) exported.insert(#symbol);
#define CU_ALIAS(...)
#define MT_EXPORT(symbol, ...) exported.insert(#symbol);
#define MT_EXPORT_EARLY MT_EXPORT
#include "libcuda/exports/exports.inc"
#define CU_FUNCTION(member, symbol, parameters) EXPECT_TRUE(exported.count(#symbol));
#include "cuda_abi/driver_functions.inc"
#define INSPECT_FUNCTION(member, symbol, parameters) \
  EXPECT_TRUE(exported.count(#symbol));
#include "cuda_abi/inspect_functions.inc"
}

}  // namespace
}  // namespace cuda_abi
