// The tests of compiling and of the caches around it, with a real NVRTC.
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "nvrtc/files.h"
#include "tests/nvrtc/test_place.h"

namespace minitorch::nvrtc {
namespace {

Request request(const std::string& code) {
  Request made;
  made.source = {"/minitorch/user/k.cu", code};
  return made;
}

const char* const kFill = "extern \"C\" __global__ void fill(float* a) { a[0] = 1; }\n";

std::vector<std::filesystem::path> entries(const std::string& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.path().extension() == ".ptx") found.push_back(file.path());
  return found;
}

TEST_F(CompilerTest, MakesPtxForTheArchitectureWithLines) {
  Request made = request(kFill);
  made.architecture = 80;
  const auto result = compile(made);
  EXPECT_NE(result->ptx.find(".target sm_80"), std::string::npos);
  EXPECT_NE(result->ptx.find(".entry fill("), std::string::npos);
  EXPECT_NE(result->ptx.find("\"/minitorch/user/k.cu\""), std::string::npos);
  EXPECT_TRUE(result->cubin.empty());
  EXPECT_EQ(&result->image(), &result->ptx);
}

TEST_F(CompilerTest, MakesACubinBesideThePtx) {
  Request made = request(kFill);
  made.cubin = true;
  made.architecture = 90;
  const auto result = compile(made);
  EXPECT_TRUE(
      result->cubin.starts_with("\x7f"
                                "ELF"));
  EXPECT_NE(result->ptx.find(".entry fill("), std::string::npos);
  forget_all();
  setenv("MINITORCH_NVRTC", test_library().c_str(), 1);
  EXPECT_EQ(compile(made)->cubin, result->cubin);
}

TEST_F(CompilerTest, FindsHeadersInMemoryAndLowersTemplateNames) {
  Request made = request(
      "#include \"spec.cuh\"\n"
      "template <class T> __global__ void scale(T* a) { a[0] *= FACTOR; }\n");
  made.headers = {{"spec.cuh", "constexpr int FACTOR = 3;\n"}};
  made.name_expressions = {"scale<float>", "scale<double>"};
  const auto result = compile(made);
  ASSERT_EQ(result->lowered_names.size(), 2u);
  for (const auto& [expression, name] : result->lowered_names)
    EXPECT_NE(result->ptx.find(".entry " + name + "("), std::string::npos)
        << expression;
}

TEST_F(CompilerTest, FindsTheHeadersOfTheToolkit) {
  const std::vector<std::string>& folders = location().include_dirs;
  const bool there =
      std::any_of(folders.begin(), folders.end(), [](const auto& folder) {
        return std::filesystem::exists(folder + "/cuda_fp16.h");
      });
  if (!there) GTEST_SKIP() << "no cuda_fp16.h near " << location().library;
  const auto result = compile(request(
      "#include <cuda_fp16.h>\n"
      "extern \"C\" __global__ void k(half* a) { a[0] = __float2half(2.f); }\n"));
  EXPECT_NE(result->ptx.find(".entry k("), std::string::npos);
}

TEST_F(CompilerTest, RaisesErrorsWithTheirPlaceAndKeepsWarnings) {
  try {
    compile(
        request("extern \"C\" __global__ void k(float* a) {\n  a[0] = missing;\n}\n"));
    FAIL() << "no error";
  } catch (const CompileError& error) {
    ASSERT_EQ(error.diagnostics.size(), 1u);
    EXPECT_EQ(error.diagnostics[0].line, 2);
    EXPECT_EQ(error.diagnostics[0].column, 10);
    EXPECT_EQ(std::string(error.what()),
              "[nvrtc] k.cu(2): error: identifier \"missing\" is undefined\n"
              "    a[0] = missing;\n"
              "           ^");
  }
  const std::string warns =
      "extern \"C\" __global__ void k(float* a) { int unused; a[0] = 0; }\n";
  ASSERT_EQ(compile(request(warns))->warnings.size(), 1u);
  forget_all();
  setenv("MINITORCH_NVRTC", test_library().c_str(), 1);
  EXPECT_EQ(compile(request(warns))->warnings.size(), 1u) << "from the disk";
}

TEST_F(CompilerTest, ADiskHitDoesNotLoadTheLibrary) {
  const std::string ptx = compile(request(kFill))->ptx;
  EXPECT_TRUE(loaded());
  forget_all();
  const CacheStatistics before = cache_statistics();
  EXPECT_EQ(compile(request(kFill))->ptx, ptx);
  EXPECT_FALSE(loaded());
  EXPECT_EQ(cache_statistics().disk_hits, before.disk_hits + 1);
  EXPECT_EQ(compile(request(kFill))->ptx, ptx);
  EXPECT_EQ(cache_statistics().memory_hits, before.memory_hits + 1);
}

TEST_F(CompilerTest, EverythingInARequestChangesTheKey) {
  Request base = request(kFill);
  base.headers = {{"h.cuh", "// one\n"}};
  std::vector<Request> others(6, base);
  others[0].source.text += "// more\n";
  others[1].source.name = "/minitorch/user/other.cu";
  others[2].headers[0].text = "// two\n";
  others[3].options = {"--fmad=false"};
  others[4].architecture = 80;
  others[5].name_expressions = {"fill"};
  compile(base);
  for (const Request& other : others) compile(other);
  EXPECT_EQ(entries(folder_).size(), 1 + others.size());
}

TEST_F(CompilerTest, SeesAChangedHeaderOnDisk) {
  const std::string header = folder_ + "/mine.cuh";
  Request made = request(
      "#include \"mine.cuh\"\nextern \"C\" __global__ void k(int* a) { a[0] = N; }\n");
  made.options = {"-I" + folder_};
  std::ofstream(header) << "#define N 41\n";
  const std::string before = compile(made)->ptx;
  std::ofstream(header) << "#define N 42\n";
  EXPECT_NE(compile(made)->ptx, before);
}

TEST_F(CompilerTest, RebuildsADamagedEntry) {
  const std::string ptx = compile(request(kFill))->ptx;
  ASSERT_EQ(entries(folder_).size(), 1u);
  const std::string path = entries(folder_)[0].string();
  const std::string whole = read_file(path).value();
  for (const std::string& damaged : {std::string(), whole.substr(0, whole.size() / 2),
                                     whole + "x", std::string(whole.size(), 'z')}) {
    std::ofstream(path, std::ios::binary) << damaged;
    clear_memory_cache();
    EXPECT_EQ(compile(request(kFill))->ptx, ptx);
    EXPECT_EQ(read_file(path), whole);
  }
}

TEST_F(CompilerTest, WorksWhenTheDiskIsFull) {
  // A file-size limit makes every longer write fail, as a full disk does.
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {16, 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    bool good = false;
    try {
      good = !compile(request(kFill))->ptx.empty() && entries(folder_).empty();
    } catch (...) {
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(CompilerTest, TwoProcessesAtOnceBothGetAWholeResult) {
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      bool good = false;
      try {
        good = compile(request(kFill))->ptx.find(".entry fill(") != std::string::npos;
      } catch (...) {
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(entries(folder_).size(), 1u);
  const CacheStatistics before = cache_statistics();
  compile(request(kFill));
  EXPECT_EQ(cache_statistics().disk_hits, before.disk_hits + 1);
}

TEST_F(CompilerTest, ThreadsShareOneCompile) {
  const CacheStatistics before = cache_statistics();
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<const Result>> results(4);
  for (auto& result : results)
    threads.emplace_back([&result] { result = compile(request(kFill)); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
  EXPECT_EQ(cache_statistics().compiles, before.compiles + 1);
}

TEST_F(CompilerTest, RefusesWhatTheCompilerCannotDo) {
  Request made = request(kFill);
  made.architecture = 30;
  EXPECT_THROW(compile(made), base::ValueError);
  made = request(kFill);
  made.options = {"--gpu-architecture=sm_90"};
  EXPECT_THROW(compile(made), base::ValueError);
  made.options = {"--no-such-option"};
  EXPECT_THROW(compile(made), CompileError);
  made.options = {"--std=c++20"};
  EXPECT_FALSE(compile(made)->ptx.empty()) << "a call after an error works";
}

}  // namespace
}  // namespace minitorch::nvrtc
