// The tests of reading kernel signatures from C++.
#include <gtest/gtest.h>

#include "runtime/signature.h"

namespace minitorch::runtime {
namespace {

// The parameters of kernel `k` declared as `k(list)`.
std::vector<ParameterInfo> parameters(const std::string& list,
                                      const std::string& before = "") {
  const Signature found =
      parse_signature(before + "extern \"C\" __global__ void k(" + list + ") { }", "k");
  EXPECT_TRUE(found.known) << list;
  return found.parameters;
}

// "name:kind:element", with P pointer, S scalar, R record, ? unknown.
std::string brief(const ParameterInfo& p) {
  const char kind = p.kind == ParameterKind::Pointer  ? 'P'
                    : p.kind == ParameterKind::Scalar ? 'S'
                    : p.kind == ParameterKind::Struct ? 'R'
                                                      : '?';
  std::string text = p.name + ":" + kind;
  if (p.element.size > 0) text += ":" + element_name(p.element);
  return text;
}

std::string one(const std::string& declaration, const std::string& before = "") {
  const auto found = parameters(declaration, before);
  return found.size() == 1 ? brief(found[0]) : "not one parameter";
}

TEST(Signature, KnowsTheScalarTypes) {
  EXPECT_EQ(one("int n"), "n:S:int32");
  EXPECT_EQ(one("const unsigned n"), "n:S:uint32");
  EXPECT_EQ(one("unsigned long long int n"), "n:S:uint64");
  EXPECT_EQ(one("long n"), "n:S:int64");
  EXPECT_EQ(one("signed char n"), "n:S:int8");
  EXPECT_EQ(one("unsigned short n"), "n:S:uint16");
  EXPECT_EQ(one("bool flag"), "flag:S:bool");
  EXPECT_EQ(one("float x"), "x:S:float32");
  EXPECT_EQ(one("double x"), "x:S:float64");
  EXPECT_EQ(one("std::size_t n"), "n:S:uint64");
  EXPECT_EQ(one("::int64_t n"), "n:S:int64");
  EXPECT_EQ(one("__half x"), "x:S:float16");
  EXPECT_EQ(one("__nv_bfloat16 x"), "x:S:bfloat16");
  EXPECT_EQ(one("float"), ":S:float32");
}

TEST(Signature, KnowsPointersAndWhatTheyPointTo) {
  EXPECT_EQ(one("float* a"), "a:P:float32");
  EXPECT_EQ(one("const float* __restrict__ a"), "a:P:float32");
  EXPECT_EQ(one("float *const a"), "a:P:float32");
  EXPECT_EQ(one("const int64_t a[]"), "a:P:int64");
  EXPECT_EQ(one("double a[16]"), "a:P:float64");
  EXPECT_EQ(one("void* a"), "a:P");
  EXPECT_EQ(one("float** a"), "a:P");
  EXPECT_EQ(one("float4* a"), "a:P");
  EXPECT_EQ(one("uint8_t*"), ":P:uint8");
  EXPECT_TRUE(parameters("const float* a")[0].pointee_const);
  EXPECT_FALSE(parameters("float* const a")[0].pointee_const);
  EXPECT_EQ(parameters("const float* __restrict__ a")[0].type,
            "const float* __restrict__");
}

TEST(Signature, KnowsComplexNumbers) {
  EXPECT_EQ(one("const complex<float>* a"), "a:P:complex64");
  EXPECT_EQ(one("cuda::std::complex<double>* a"), "a:P:complex128");
  EXPECT_EQ(one("complex<real>* a", "using real = float;\n"), "a:P:complex64");
  EXPECT_EQ(one("complex<float> a"), one("cuFloatComplex a"));
  EXPECT_EQ(one("complex<int>* a"), "a:P");
  EXPECT_EQ(one("complex<Point>* a"), "a:P");
}

TEST(Signature, FollowsAliases) {
  EXPECT_EQ(one("real* a", "using real = double;\n"), "a:P:float64");
  EXPECT_EQ(one("real a", "typedef unsigned int real;\n"), "a:S:uint32");
  EXPECT_EQ(one("REAL a", "#define REAL float\n"), "a:S:float32");
  EXPECT_EQ(one("row a", "using real = float;\nusing row = real*;\n"), "a:P:float32");
  EXPECT_EQ(one("loop a", "using loop = loop;\n"), "a:?");
}

TEST(Signature, AdmitsWhatItDoesNotKnow) {
  EXPECT_EQ(one("Point p"), "p:?");
  EXPECT_EQ(one("struct Point p"), "p:?");
  EXPECT_EQ(one("Matrix<float, 3> m"), "m:?");
  EXPECT_EQ(one("void (*f)(int)"), ":?");
  EXPECT_FALSE(parse_signature("__global__ void k(int n) {}", "other").known);
  EXPECT_FALSE(parse_signature("", "k").known);
  EXPECT_FALSE(parse_signature("__global__ void k(int n", "k").known);
}

TEST(Signature, IsNotFooledByWhatStandsAround) {
  const std::string code =
      "// __global__ void k(double wrong) {}\n"
      "/* __global__ void k(double wrong, double) {} */\n"
      "#define LOG(x) __global__\n"
      "const char* s = \"__global__ void k(char c)\";\n"
      "__device__ float helper(float x) { return x < 3 ? x : 2; }\n"
      "extern \"C\" {\n"
      "__global__ void __launch_bounds__(256, 2)\n"
      "k(float *a, // the first\n"
      "  int n = 3 /* rows */) { if (n < 4 && n > 2) a[n] = 1; }\n"
      "__global__ void second() {}\n"
      "__global__ void third(void) {}\n"
      "}\n";
  const Signature found = parse_signature(code, "k");
  ASSERT_EQ(found.parameters.size(), 2u);
  EXPECT_EQ(brief(found.parameters[0]), "a:P:float32");
  EXPECT_EQ(brief(found.parameters[1]), "n:S:int32");
  EXPECT_EQ(kernel_names(code), (std::vector<std::string>{"k", "second", "third"}));
  EXPECT_TRUE(parse_signature(code, "second").known);
  EXPECT_TRUE(parse_signature(code, "second").parameters.empty());
  EXPECT_TRUE(parse_signature(code, "third").parameters.empty());
}

TEST(Signature, FillsTemplateParameters) {
  const std::string code =
      "namespace ns { template <class T, int N, typename U = float>\n"
      "__global__ void scale(T* a, const U b, T (&c)[N]) {} }\n";
  const Signature found = parse_signature(code, "ns::scale<double, 4>");
  ASSERT_EQ(found.parameters.size(), 3u);
  EXPECT_EQ(brief(found.parameters[0]), "a:P:float64");
  EXPECT_EQ(brief(found.parameters[1]), "b:?");
  EXPECT_EQ(brief(found.parameters[2]), ":?");
  EXPECT_EQ(brief(parse_signature(code, "scale<unsigned char, 1>").parameters[0]),
            "a:P:uint8");
  EXPECT_EQ(brief(parse_signature(code, "scale").parameters[0]), "a:P");
}

TEST(Signature, FindsWhereTheBodiesOfKernelsBegin) {
  const std::string code =
      "__global__ void early(int n);\n"                    // no body
      "// __global__ void remark() {\n"                    // no kernel
      "#define K(name) __global__ void name() { int a;\n"  // a macro's
      "#define L __global__ void l() {\n"
      "template <class T> __global__ void __launch_bounds__(64)\n"
      "early(T n)  // {\n"
      "{ n = {}; }\n"
      "extern \"C\" __global__ void late() {}\n";
  const std::vector<size_t> bodies = kernel_bodies(code);
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(code.substr(bodies[0], 8), " n = {};");
  EXPECT_EQ(code.substr(bodies[1]), "}\n");
  EXPECT_TRUE(kernel_bodies("").empty());
  EXPECT_TRUE(kernel_bodies("__global__ void k(int").empty());
}

}  // namespace
}  // namespace minitorch::runtime
