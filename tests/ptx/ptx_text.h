// The PTX around the few lines a test is about.
#pragma once

#include <string>

#include "ptx/decode.h"
#include "ptx/program.h"

namespace minitorch::ptx {

inline const std::string kHeader = ".version 8.0\n.target sm_75\n.address_size 64\n";

/// A module with one kernel `k(u64 p, u32 n)` that has ten registers of each kind.
inline std::string kernel_text(const std::string& body,
                               const std::string& before = "") {
  return kHeader + before +
         ".visible .entry k(.param .u64 p, .param .u32 n) {\n"
         ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %rd<10>;\n"
         ".reg .f32 %f<10>; .reg .f64 %d<10>;\n" +
         body + "\n}\n";
}

inline std::shared_ptr<const Module> decode_kernel(const std::string& body,
                                                   const std::string& before = "") {
  return decode(kernel_text(body, before));
}

/// The function `k` of a module.
inline const Function& kernel_of(const Module& module) {
  return module.functions.at(module.find_function("k"));
}

/// What decode() says about a text it refuses, or "" when it does not.
inline std::string refusal(const std::string& text) {
  try {
    decode(text);
  } catch (const PtxError& error) {
    return error.what();
  }
  return "";
}

inline std::string name_of(const Function& function, const Operand& operand) {
  return operand.kind == Operand::Kind::Register
             ? function.registers[operand.index].name
             : "";
}

}  // namespace minitorch::ptx
