// Linking as text: which definition of a name is taken, and what is renamed. The rules
// are those of the PTX ISA, section "Linking Directives".
#include "ptx/link.h"

#include <gtest/gtest.h>

#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

bool runtime_has(std::string_view name) { return name == "vprintf"; }

std::string linked(const std::vector<std::string>& modules, uint32_t registers = 0) {
  Linker linker(runtime_has);
  for (size_t i = 0; i < modules.size(); ++i)
    linker.add("m" + std::to_string(i), kHeader + modules[i]);
  return linker.finish(registers);
}

std::shared_ptr<const Module> decoded(const std::vector<std::string>& modules) {
  return decode(linked(modules));
}

std::string refused(const std::vector<std::string>& modules) {
  try {
    linked(modules);
  } catch (const LinkError& error) {
    return error.what();
  }
  return "";
}

const Variable& variable_of(const Module& module, const std::string& name) {
  return module.variables.at(module.find_variable(name));
}

size_t count_of(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1))
    ++count;
  return count;
}

TEST(Link, TheNewestVersionAndTargetHold) {
  Linker linker(runtime_has);
  linker.add("a", ".version 8.1\n.target sm_50\n.address_size 64\n");
  linker.add("b", ".version 7.9\n.target sm_75, debug\n.address_size 64\n");
  const auto module = decode(linker.finish(0));
  EXPECT_EQ(module->version_major, 8);
  EXPECT_EQ(module->version_minor, 1);
  EXPECT_EQ(module->target_sm, 75);
  EXPECT_TRUE(module->debug);
}

TEST(Link, TheLargestCommonIsTaken) {
  const auto module = decoded({".common .global .align 4 .u32 c[2];",
                               ".common .global .align 4 .u32 c[5];",
                               ".common .global .align 4 .u32 c[3];"});
  ASSERT_EQ(module->variables.size(), 1u);
  EXPECT_EQ(module->variables[0].size, 20u);
}

TEST(Link, ADefinitionBeatsWeakAndCommon) {
  const auto module = decoded({".common .global .u32 c; .weak .global .u32 w = 1;",
                               ".visible .global .u32 c = 7; .weak .global .u32 w = 2;",
                               ".visible .global .u32 w = 3;"});
  EXPECT_EQ(variable_of(*module, "c").initial.at(0), 7);
  EXPECT_EQ(variable_of(*module, "w").initial.at(0), 3);
}

TEST(Link, TheFirstOfSeveralWeakFunctionsIsTaken) {
  const std::string first = ".weak .func f() { .reg .b32 %r<2>; mov.u32 %r1, 1; ret; }";
  const std::string second =
      ".weak .func f() { .reg .b32 %r<2>; mov.u32 %r1, 2; ret; }";
  const std::string text = linked({first, second});
  EXPECT_NE(text.find("%r1, 1"), std::string::npos);
  EXPECT_EQ(text.find("%r1, 2"), std::string::npos);
}

TEST(Link, ACallerMayExpectAResultThatTheDefinitionLacks) {
  // As machine code, which is linked by name: the result is what nobody wrote.
  const auto module = decoded({R"(
.extern .func (.param .b32 result) f(.param .b64 a, .param .b8 b);
.visible .entry k() {
  .reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .b16 %h<2>;
  mov.u64 %rd1, 3;
  mov.u16 %h1, 4;
  { .param .b64 p0; st.param.b64 [p0], %rd1;
    .param .b8 p1; st.param.b8 [p1], %h1;
    .param .b32 r0; call.uni (r0), f, (p0, p1); ld.param.b32 %r1, [r0]; }
  ret;
})",
                               R"(
.visible .func f(.param .b64 x, .param .b8 y) { ret; })"});
  // The entry calls a function with a result, which calls the one that has none.
  ASSERT_EQ(module->functions.size(), 3u);
  const uint32_t target = module->find_function("f");
  size_t callers = 0;
  for (const Function& function : module->functions) {
    if (function.entry || function.name == "f") continue;
    EXPECT_EQ(function.returns.size(), 1u);
    EXPECT_EQ(function.parameters.size(), 2u);
    for (const Instruction& instruction : function.instructions) {
      if (instruction.opcode.op != Op::Call) continue;
      EXPECT_EQ(instruction.target, target);
      ++callers;
    }
  }
  EXPECT_EQ(callers, 1u);
}

TEST(Link, OtherDifferencesOfACallAreRefused) {
  const std::string caller =
      ".extern .func f(.param .b32 a);\n"
      ".visible .entry k() { .param .b32 p; call f, (p); ret; }";
  EXPECT_THROW(decoded({caller, ".visible .func f() { ret; }"}), PtxError);
}

TEST(Link, ExternVariablesAreTheVisibleOnesOfAnotherModule) {
  const auto module =
      decoded({".extern .global .align 4 .u32 g[4];\n"
               ".visible .global .align 8 .u64 where = g;",
               ".visible .global .align 4 .u32 g[4] = {1, 2, 3, 4};"});
  EXPECT_EQ(module->variables.size(), 2u);
  EXPECT_EQ(variable_of(*module, "g").initial.size(), 16u);
  const auto& relocation = variable_of(*module, "where").relocations.at(0);
  EXPECT_EQ(module->variables.at(relocation.index).name, "g");
}

TEST(Link, NamesOfOneModuleAreRenamedWhereTheyClash) {
  const auto module = decoded({".global .u32 own = 1; .visible .global .u64 a = own;",
                               ".global .u32 own = 2; .visible .global .u64 b = own;",
                               ".visible .global .u32 own = 3;"});
  const auto target = [&](const std::string& name) {
    const auto& relocation = variable_of(*module, name).relocations.at(0);
    return module->variables.at(relocation.index).initial.at(0);
  };
  EXPECT_EQ(target("a"), 1);
  EXPECT_EQ(target("b"), 2);
  EXPECT_EQ(variable_of(*module, "own").initial.at(0), 3);
}

TEST(Link, DynamicSharedMemoryIsOneForAll) {
  const std::string declared = ".extern .shared .align 8 .b8 dynamic[];";
  EXPECT_EQ(decoded({declared, declared})->variables.size(), 1u);
}

TEST(Link, InternalFunctionsKeepTheirOwnBodies) {
  const std::string text =
      linked({".func f(); .func g() { call f; ret; } .func f() { ret; }",
              ".func f() { trap; }"});
  EXPECT_EQ(count_of(text, ".func f()"), 2u);    // declared and defined
  EXPECT_EQ(count_of(text, ".func f_1()"), 1u);  // of the other module
}

TEST(Link, WhatIsUsedMustBeDefined) {
  EXPECT_NE(refused({".extern .func f(); .visible .func g() { call f; ret; }"})
                .find("'f' (declared in 'm0')"),
            std::string::npos);
  EXPECT_NE(
      refused({".extern .global .u32 v; .visible .global .u64 p = v;"}).find("'v'"),
      std::string::npos);
  EXPECT_EQ(refused({".extern .func f(); .extern .global .u32 v;"}), "");  // unused
  EXPECT_EQ(refused({".extern .func vprintf(); .func g() { call vprintf; ret; }"}), "");
  EXPECT_NE(refused({".visible .func f() { ret; }", ".visible .func f() { ret; }"})
                .find("'m0' and in 'm1'"),
            std::string::npos);
}

TEST(Link, RegistersAreLimitedInEveryEntry) {
  const auto module = decode(linked({".visible .entry a() .maxntid 32 { ret; }",
                                     ".visible .entry b() { ret; }"
                                     ".func c() { ret; }"},
                                    40));
  EXPECT_EQ(module->functions.at(module->find_function("a")).max_registers, 40u);
  EXPECT_EQ(module->functions.at(module->find_function("b")).max_registers, 40u);
  EXPECT_EQ(module->functions.at(module->find_function("a")).max_threads, 32u);
}

TEST(Link, SourceLinesAndNamesOfInlinedFunctionsStayApart) {
  const auto unit = [](const std::string& file, const std::string& name) {
    return ".file 1 \"" + file + "\"\n.visible .entry " + name +
           "() {\n.loc 1 5 1\n.loc 1 9 1, function_name $L__info_string0, inlined_at "
           "1 5 1\ntrap; ret; }\n.section .debug_str {\n$L__info_string0:\n.b8 " +
           std::to_string(static_cast<int>(name[0])) +
           ",0\n}\n.section .debug_info { .b32 $L__info_string0 }\n";
  };
  const auto module = decoded({unit("x.cu", "p"), unit("y.cu", "q")});
  for (const auto& [name, file] : {std::pair{"p", "x.cu"}, std::pair{"q", "y.cu"}}) {
    const Function& function = module->functions.at(module->find_function(name));
    const Position& position =
        module->positions.at(function.instructions.at(0).position);
    EXPECT_EQ(module->files.at(position.file), file);
    EXPECT_EQ(position.line, 9u);
    EXPECT_EQ(module->inlined_names.at(position.function), name);
    const Position& call = module->positions.at(position.inlined_at);
    EXPECT_EQ(module->files.at(call.file), file);
    EXPECT_EQ(call.line, 5u);
  }
}

TEST(Link, TextThatIsNoPtxIsRefusedAtOnce) {
  Linker linker(runtime_has);
  EXPECT_THROW(linker.add("a", "int main() {}"), PtxError);
  EXPECT_TRUE(linker.empty());
}

}  // namespace
}  // namespace minitorch::ptx
