// Tests that every function of NVIDIA's headers exists, that cuGetProcAddress gives the
// one that a version means, and what those answer that are not offered.
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "fixture.h"

namespace libcuda {
namespace {

using Exports = DriverTest;

struct Absent {
  const char* base;
  const char* symbol;
};

/// Every symbol of absent.inc.
std::vector<Absent> absent_rows() {
  return {
#define CU_ABSENT(base, symbol, since) {#base, #symbol},
#define CU_ABSENT_STREAM(suffix, base, symbol, since) \
  {#base, #symbol}, {#base, #symbol #suffix},
#include "libcuda/exports/absent.inc"
#undef CU_ABSENT
#undef CU_ABSENT_STREAM
  };
}

TEST_F(Exports, WhatIsNotOfferedSaysSoOnceAndNeverCrashes) {
  const auto rows = absent_rows();
  ASSERT_FALSE(rows.empty());
  testing::internal::CaptureStderr();
  for (int round = 0; round < 2; ++round) {
    for (const Absent& row : rows) {
      auto* function = cu().find<CUresult()>(row.symbol);
      ASSERT_NE(function, nullptr) << row.symbol;
      EXPECT_EQ(function(), CUDA_ERROR_NOT_SUPPORTED) << row.symbol;
      EXPECT_NE(last_message().find(row.symbol), std::string::npos);
    }
  }
  std::istringstream told(testing::internal::GetCapturedStderr());
  std::multiset<std::string> lines;
  for (std::string line; std::getline(told, line);) lines.insert(line);
  EXPECT_EQ(lines.size(), rows.size());
  for (const std::string& line : lines) EXPECT_EQ(lines.count(line), 1u) << line;
}

/// The symbol that cuGetProcAddress_v2 gives, or the symbol status as a number.
std::string found_symbol(const std::string& base, int version, bool per_thread) {
  using Get = CUresult(const char*, void**, int, unsigned long long,
                       CUdriverProcAddressQueryResult*);
  void* function = nullptr;
  auto status = CU_GET_PROC_ADDRESS_SUCCESS;
  const unsigned long long flags =
      per_thread ? uint64_t{CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM} : 0;
  EXPECT_EQ(cu().find<Get>("cuGetProcAddress_v2")(base.c_str(), &function, version,
                                                  flags, &status),
            CUDA_SUCCESS);
  Dl_info info{};
  if (function == nullptr || dladdr(function, &info) == 0) {
    return std::to_string(status);
  }
  return info.dli_sname;
}

#ifdef MINITORCH_CUDA_HEADERS

std::string header(const std::string& name) {
  std::ifstream file(MINITORCH_CUDA_HEADERS "/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  for (size_t at = 0; (at = all.find("/*", at)) != std::string::npos;) {
    all.erase(at, all.find("*/", at) + 2 - at);
  }
  return all;
}

/// The identifier that follows each occurrence of `before`; it begins with cu or PFN.
std::vector<std::string> names_after(const std::string& text,
                                     const std::string& before) {
  std::vector<std::string> names;
  for (size_t at = 0; (at = text.find(before, at)) != std::string::npos;) {
    at += before.size();
    size_t end = at;
    while (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_') {
      ++end;
    }
    const std::string name = text.substr(at, end - at);
    if (name.rfind("cu", 0) == 0 || name.rfind("PFN_cu", 0) == 0) names.push_back(name);
  }
  return names;
}

TEST_F(Exports, EveryFunctionOfTheHeadersIsThere) {
  std::set<std::string> wanted;
  for (const char* file : {"cuda.h", "cudaGL.h", "cudaEGL.h"}) {
    const std::string text = header(file);
    for (const auto& name : names_after(text, "CUDAAPI ")) wanted.insert(name);
    for (const std::string suffix : {"ptsz", "ptds"}) {
      const std::string macro =
          suffix == "ptsz" ? "__CUDA_API_PTSZ(" : "__CUDA_API_PTDS(";
      for (const auto& name : names_after(text, macro)) {
        wanted.insert(name);
        wanted.insert(name + "_" + suffix);
      }
    }
  }
  EXPECT_GT(wanted.size(), 600u);
  for (const std::string& name : wanted) {
    EXPECT_NE(cu().find<CUresult()>(name.c_str()), nullptr) << name;
  }
}

/// By base name and suffix ("", "_ptsz", "_ptds"): the versions of the typedefs.
using Versions = std::map<std::pair<std::string, std::string>, std::set<int>>;

Versions versions_of_typedefs() {
  Versions versions;
  for (const char* file : {"cudaTypedefs.h", "cudaGLTypedefs.h", "cudaEGLTypedefs.h"}) {
    for (const std::string& name : names_after(header(file), "(CUDAAPI *")) {
      const size_t mark = name.rfind("_v");
      size_t end = mark + 2;
      while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end]))) {
        ++end;
      }
      const int version = std::stoi(name.substr(mark + 2, end - mark - 2));
      versions[{name.substr(4, mark - 4), name.substr(end)}].insert(version);
    }
  }
  return versions;
}

TEST_F(Exports, VersionsOfANameAreItsSymbolsInOrder) {
  const Versions versions = versions_of_typedefs();
  EXPECT_GT(versions.size(), 500u);
  for (const auto& [key, numbers] : versions) {
    const auto& [base, suffix] = key;
    if (!suffix.empty()) continue;
    int count = 0, before = 0;
    for (const int version : numbers) {
      if (before == 0) {
        EXPECT_EQ(found_symbol(base, version - 1, false), "2") << base << version;
      }
      before = version;
      std::string symbol = base;
      if (++count > 1) symbol += "_v" + std::to_string(count);
      EXPECT_EQ(found_symbol(base, version, false), symbol) << version;
    }
  }
}

TEST_F(Exports, PerThreadVersionsAreGivenWhereTheHeaderHasThem) {
  for (const auto& [key, numbers] : versions_of_typedefs()) {
    const auto& [base, suffix] = key;
    if (suffix.empty()) continue;
    for (const int version : numbers) {
      const std::string plain = found_symbol(base, version, false);
      EXPECT_EQ(found_symbol(base, version, true), plain + suffix) << version;
    }
  }
}

#endif

TEST_F(Exports, InstantiateMeansAnotherFunctionSinceTwelve) {
  EXPECT_EQ(found_symbol("cuGraphInstantiate", 10000, false), "cuGraphInstantiate");
  EXPECT_EQ(found_symbol("cuGraphInstantiate", 11080, false), "cuGraphInstantiate_v2");
  EXPECT_EQ(found_symbol("cuGraphInstantiate", 12000, false),
            "cuGraphInstantiateWithFlags");
}

}  // namespace
}  // namespace libcuda
