// The making of CUDA C++ kernels with wild addresses: pointers that are shared, local
// or global memory by lane and by round, indices before and behind arrays. The
// parameters are AddressProgram's.
#pragma once

#include <sstream>
#include <string>

#include "fuzz.h"

namespace fuzz {

class CudaProgram {
 public:
  explicit CudaProgram(uint64_t seed) : random_(seed) {
    threads = random_.of({1u, 31u, 32u, 32u, 64u, 64u});
    type_ = random_.of({"unsigned char", "short", "int", "unsigned", "float", "double",
                        "unsigned long long", "float2", "int4"});
    const bool counts = type_ == "int" || type_ == "unsigned" || type_ == "float" ||
                        type_ == "double" || type_ == "unsigned long long";
    out_
        << "struct Pack { unsigned long long words[3]; };\ntypedef " << type_
        << " T;\n__device__ T values[65];\n__constant__ T table[17];\n"
        << "__device__ __noinline__ T get(const T* p, long long i) { return p[i]; }\n"
        << "extern \"C\" __global__ void kernel(T* p0, T* p1, unsigned long long* out, "
        << "Pack pack) {\n  __shared__ T s[" << shared_ << "];\n  T own[8] = {};\n"
        << "  long long t = threadIdx.x;\n  T sum = {};\n";
    for (uint64_t i = 1 + random_.below(3); i > 0; --i) {
      random_.one_in(3) ? access("  ", counts) : rounds(counts);
    }
    out_ << "  if (*(const char*)&sum == 77) out[t] = 1;\n"
         << "}\n";
    text = out_.str();
  }

  std::string text;
  uint32_t threads = 32, grid = 1;

 private:
  std::string number(uint64_t value) {
    return std::to_string(static_cast<int64_t>(value)) + "ll";
  }
  std::string index() {
    const std::string lane = random_.of(
        {"t", "t", "0", "(t & 7)", "(t - 1)", "(t ^ 1)", "(t * 8)", "-t", "(t << 32)"});
    if (random_.below(4) != 0) return lane;
    return lane + " + " +
           number(random_.of({uint64_t{1}, ~uint64_t{0}, shared_ - 1, shared_,
                              uint64_t{65}, uint64_t{1} << 31, uint64_t{1} << 61,
                              uint64_t{1} << 63}));
  }
  std::string pointer() {
    return random_.of({"p0", "p1", "p1", "s", "s", "own", "values", "values", "(T*)0",
                       "(T*)pack.words[1]", "(T*)~7ull"});
  }
  std::string chosen(const std::string& by) {
    return "(" + by + " ? " + pointer() + " : " + pointer() + ")";
  }
  void access(const std::string& indent, bool counts) {
    out_ << indent;
    if (random_.one_in(3)) {
      out_ << "if (t " << random_.of({"<", ">=", "==", "!="}) << ' '
           << random_.of({0, 1, 4, 16, 31}) << ") ";
    }
    const std::string from =
        random_.one_in(2) ? pointer()
                          : chosen("(t & " + number(random_.of({1, 4, 16})) + ")");
    switch (random_.below(counts ? 5 : 4)) {
      case 0:
        out_ << "sum = get(" << from << ", " << index() << ");\n";
        return;
      case 1:
        out_ << "sum = *(" << from << " + " << index() << ");\n";
        return;
      case 4:
        out_ << "atomicAdd(" << from << " + " << index() << ", (T)1);\n";
        return;
      default:
        out_ << "*(" << from << " + " << index() << ") = sum;\n";
    }
  }
  void rounds(bool counts) {
    const std::string one = pointer(), two = pointer(), n = std::to_string(loops_++);
    out_ << "  #pragma unroll 1\n  for (int r" << n << " = 0; r" << n << " < "
         << 2 + random_.below(3) << "; ++r" << n << ") {\n    T* p = r" << n
         << " % 2 ? " << one << " : " << two << ";\n";
    const std::string at = "p[" + index() + "]";
    if (random_.one_in(2)) {
      out_ << "    " << at << " = sum;\n";
    } else {
      out_ << "    sum = " << at << ";\n";
    }
    if (random_.one_in(2)) access("    ", counts);
    out_ << "  }\n";
  }

  Random random_;
  std::ostringstream out_;
  std::string type_;
  uint64_t shared_ = 64;
  int loops_ = 0;
};

}  // namespace fuzz
