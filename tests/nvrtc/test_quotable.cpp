// The tests of what the compiler's messages may quote: the kernel's own files, and
// nothing else of the host's.
#include "nvrtc/quotable.h"

#include <fstream>

#include "tests/nvrtc/test_place.h"

namespace minitorch::nvrtc {
namespace {

constexpr const char* kSecret = "s3cret t0ken\n";
constexpr const char* kKernel =
    "extern \"C\" __global__ void k(int* a) { a[0] = 1; }\n";

class QuotableTest : public CompilerTest {
 protected:
  void SetUp() override {
    CompilerTest::SetUp();
    std::filesystem::create_directories(folder_ + "/own/deep");
    std::ofstream(folder_ + "/secret") << kSecret;
    std::ofstream(folder_ + "/own/header.h") << "wr0ng;\n";
    std::ofstream(folder_ + "/own/deep/header.h") << "de3p;\n";
    std::filesystem::create_symlink(folder_ + "/secret", folder_ + "/own/link.h");
    std::filesystem::create_directory_symlink(folder_ + "/own", folder_ + "/alias");
  }

  Request including(const std::string& name) {
    Request made;
    made.source = {"/minitorch/user/k.cu", "#include \"" + name + "\"\n" + kKernel};
    return made;
  }

  static CompileError refused(const Request& request) {
    try {
      compile(request);
    } catch (const CompileError& error) {
      return error;
    }
    throw std::runtime_error("it compiles");
  }

  static std::string everything(const CompileError& error) {
    std::string all = error.what() + error.log;
    for (const Diagnostic& each : error.diagnostics)
      all += each.message + each.source_line;
    return all;
  }

  static bool says(const CompileError& error, const char* word) {
    return everything(error).find(word) != std::string::npos;
  }
};

TEST_F(QuotableTest, AHostFileIsNamedAndNotQuoted) {
  const std::string secret = folder_ + "/secret";
  const CompileError error = refused(including(secret));
  EXPECT_FALSE(says(error, "s3cret")) << everything(error);
  EXPECT_FALSE(says(error, "t0ken")) << everything(error);
  EXPECT_EQ(error.diagnostics.at(0).file, secret);
  EXPECT_EQ(error.diagnostics.at(0).line, 1);
  EXPECT_TRUE(says(error, "-I")) << error.what();
}

TEST_F(QuotableTest, EveryWayToAHostFileIsClosed) {
  Request by_link = including("link.h");
  by_link.options = {"-I" + folder_ + "/own"};
  Request by_steps = including("../secret");
  by_steps.options = {"-I", folder_ + "/own"};
  Request nested = including("a.h");
  nested.headers = {{"a.h", "#include \"" + folder_ + "/secret\"\n"}};
  Request by_macro = including("a.h");
  by_macro.headers = {
      {"a.h", "#define WHICH \"" + folder_ + "/secret\"\n#include WHICH\n"}};
  Request renamed = including(folder_ + "/secret");
  renamed.source.text = "#line 1 \"/minitorch/user/k.cu\"\n" + renamed.source.text;
  for (const Request& request : {by_link, by_steps, nested, by_macro, renamed,
                                 including("/proc/self/cmdline")}) {
    const CompileError error = refused(request);
    for (const char* word : {"s3cret", "t0ken", "test_nvrtc"})
      EXPECT_FALSE(says(error, word)) << everything(error);
  }
}

TEST_F(QuotableTest, OwnHeadersAreQuoted) {
  Request in_memory = including("a.h");
  in_memory.headers = {{"a.h", "wr0ng;\n"}};
  Request in_folder = including("header.h");
  in_folder.options = {"--include-path=" + folder_ + "/own"};
  Request by_alias = including("header.h");
  by_alias.options = {"-I" + folder_ + "/alias/"};
  for (const Request& request : {in_memory, in_folder, by_alias}) {
    const CompileError error = refused(request);
    EXPECT_TRUE(says(error, "wr0ng")) << everything(error);
    EXPECT_NE(error.diagnostics.at(0).source_line.find("wr0ng"), std::string::npos);
  }
  Request deep = including("deep/header.h");
  deep.options = {"-I" + folder_ + "/own"};
  EXPECT_TRUE(says(refused(deep), "de3p"));
}

TEST_F(QuotableTest, TheFolderOfTheSourceIsItsOwn) {
  std::ofstream(folder_ + "/own/k.cu") << kKernel;
  Request request = including(folder_ + "/own/header.h");
  request.source.name = folder_ + "/own/k.cu";
  EXPECT_TRUE(says(refused(request), "wr0ng"));
}

TEST_F(QuotableTest, WarningsOfHostFilesAreCutToo) {
  std::ofstream(folder_ + "/secret")
      << "__device__ int f() { int s3cret; return 1; }\n";
  const auto result = compile(including(folder_ + "/secret"));
  ASSERT_EQ(result->warnings.size(), 1u);
  EXPECT_EQ(diagnostic_text(result->warnings[0]).find("s3cret"), std::string::npos);
  EXPECT_EQ(result->warnings[0].code, "#177-D");
}

TEST_F(QuotableTest, AForeignLineDirectiveMovesNothing) {
  Request request;
  request.source = {"/minitorch/user/k.cu",
                    std::string(kKernel) + "#line 50 \"" + folder_ +
                        "/secret\"\n__device__ int f() { return miss1ng; }\n"};
  const CompileError error = refused(request);
  EXPECT_EQ(error.diagnostics.at(0).file, "/minitorch/user/k.cu");
  EXPECT_EQ(error.diagnostics.at(0).line, 3);
  EXPECT_TRUE(says(error, "miss1ng"));
  request.source.text = std::string(kKernel) + "#line 50 \"/etc/passwd\"\n" +
                        "extern \"C\" __global__ void l(int* a) { a[1] = 1; }\n";
  EXPECT_EQ(compile(request)->ptx.find("passwd"), std::string::npos);
  request.source.text =
      "#line 50 \"/minitorch/user/cell [3]\"\n" + std::string(kKernel);
  EXPECT_NE(compile(request)->ptx.find("cell [3]"), std::string::npos);
}

TEST_F(QuotableTest, AssemblyWithTheCompilersMarksIsRefused) {
  Request request;
  request.source = {
      "/minitorch/user/k.cu",
      "extern \"C\" __global__ void k(int* a) {\n"
      "  asm volatile(\"// end inline asm\\n.loc 1 99 1\\n// begin inline asm\");\n"
      "  a[0] = 1;\n}\n"};
  const CompileError error = refused(request);
  EXPECT_EQ(error.diagnostics.at(0).line, 2);
  EXPECT_TRUE(says(error, "k.cu(2): error: got a string with")) << error.what();
}

}  // namespace
}  // namespace minitorch::nvrtc
