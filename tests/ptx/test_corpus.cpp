// Modules that NVRTC makes of data/*.cu: all decode, and what a line count of the text
// says is what comes out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ptx/to_text.h"
#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string data(const std::string& name) {
  return read_file(MINITORCH_TEST_PTX "/ptx/" + name + ".ptx");
}

std::vector<std::filesystem::path> data_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(MINITORCH_TEST_PTX "/ptx"))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Instructions as the text shows them: lines of a body that end in ';' and are no
// directive, calls, whose lines end in ',', and the return behind a label at a
// function's end.
size_t count_instructions(const std::string& text) {
  std::istringstream lines(text);
  size_t count = 0;
  int depth = 0;
  bool in_call = false;
  for (std::string line; std::getline(lines, line);) {
    const size_t start = line.find_first_not_of(" \t");
    if (start == std::string::npos || line.compare(start, 2, "//") == 0) continue;
    line = line.substr(start);
    if (line.starts_with("$L__func_end")) ++count;
    if (depth > 0 && !in_call) {
      const bool call = line.starts_with("call");
      const bool declaration =
          line[0] == '.' || line.find(".callprototype") != std::string::npos;
      size_t here = 0;  // inline assembly may hold several on a line
      for (size_t at = 0; (at = line.find(';', at)) != std::string::npos; ++at) ++here;
      size_t registers = 0;
      for (size_t at = 0; (at = line.find(".reg", at)) != std::string::npos; ++at)
        ++registers;
      if (call)
        ++count;
      else if (!declaration)
        count += here - (line[0] == '{' ? registers : 0);
      in_call = call && line.find(';') == std::string::npos;
    } else if (in_call && line.find(';') != std::string::npos) {
      in_call = false;
    }
    for (char c : line.substr(0, line.find("//")))
      depth += (c == '{' ? 1 : 0) - (c == '}' ? 1 : 0);
  }
  return count;
}

TEST(Corpus, EveryInstructionOfTheTextIsDecoded) {
  ASSERT_GE(data_files().size(), 30u);
  for (const auto& path : data_files()) {
    const std::string text = read_file(path);
    const auto module = decode(text);
    size_t decoded = 0;
    for (const Function& function : module->functions)
      decoded += function.instructions.size();
    EXPECT_EQ(decoded, count_instructions(text)) << path;
  }
}

TEST(Corpus, DecodedModulesAreConsistent) {
  for (const auto& path : data_files()) {
    const auto module = decode(read_file(path));
    for (const Function& function : module->functions) {
      // What an unsupported instruction would have written counts as not written.
      const bool texture = path.stem() == "texture_k";
      EXPECT_EQ(function.maybe_undefined.empty(), !texture) << path;
      EXPECT_TRUE(std::is_sorted(function.joins.begin(), function.joins.end()));
      for (const Instruction& instruction : function.instructions) {
        if (instruction.opcode.op == Op::Bra) {
          EXPECT_LT(instruction.target, function.instructions.size());
        }
        for (const Operand& operand : instruction.sources)
          if (operand.kind == Operand::Kind::Register) {
            EXPECT_LT(operand.index, function.registers.size());
          }
        if (instruction.position != kNone) {
          EXPECT_NE(module->positions[instruction.position].line, 0u);
          EXPECT_NE(module->positions[instruction.position].file, kNone);
        }
      }
    }
  }
}

TEST(Corpus, OnlyKnownFormsAreUnsupported) {
  for (const auto& path : data_files()) {
    const auto module = decode(read_file(path));
    for (const Function& function : module->functions)
      for (const Instruction& instruction : function.instructions) {
        if (instruction.opcode.op != Op::Unsupported) continue;
        const std::string& text = instruction.opcode.text;
        EXPECT_TRUE(text.starts_with("tex.") || text.starts_with("wmma.") ||
                    text.starts_with("mma.") || text.starts_with("ldmatrix."))
            << path << ' ' << text;
      }
  }
}

TEST(Corpus, TiledMatmul) {
  const auto module = decode(data("matmul_tiled16"));
  const Function& function = kernel_of(*module);
  EXPECT_TRUE(function.entry && function.uses_barrier);
  EXPECT_EQ(function.shared_bytes, 2048u);  // two tiles of 16 x 16 floats
  EXPECT_EQ(function.parameters.size(), 4u);
  EXPECT_EQ(function.parameter_bytes, 28u);
  std::vector<std::string> names;
  for (const Variable& variable : module->variables) names.push_back(variable.display);
  EXPECT_EQ(names, (std::vector<std::string>{"as", "bs"}));
  EXPECT_EQ(module->files.at(0), "/kernels/matmul_tiled16.cu");
}

TEST(Corpus, FunctionsAndTables) {
  const auto module = decode(data("noinline_call"));
  const Function& kernel = kernel_of(*module);
  EXPECT_TRUE(kernel.uses_calls);
  std::vector<uint32_t> reached;
  for (const Instruction& instruction : kernel.instructions)
    if (instruction.opcode.op == Op::Call && instruction.target == kNone)
      reached = instruction.targets;
  for (const char* name : {"_Z2sqf", "_Z2cuf"})
    EXPECT_NE(std::find(reached.begin(), reached.end(), module->find_function(name)),
              reached.end());
  EXPECT_EQ(module->variables[module->find_variable("tab")].relocations.size(), 2u);
}

TEST(Corpus, StringsOfPrintf) {
  const auto module = decode(data("printf_k"));
  EXPECT_TRUE(module->functions[module->find_function("vprintf")].external);
  bool found = false;
  for (const Variable& variable : module->variables)
    found |= std::string(variable.initial.begin(), variable.initial.end())
                 .starts_with("t %d a=%f %s %lld\n");
  EXPECT_TRUE(found);
}

TEST(Corpus, StructsByValue) {
  const auto module = decode(data("struct_arg"));
  const Function& function = kernel_of(*module);
  EXPECT_EQ(function.parameters[2].size, 48u);
  EXPECT_EQ(function.parameters[2].offset, 96u);
  EXPECT_EQ(function.local_bytes, 48u);
}

TEST(ToText, ShowsBlocksAndOperands) {
  const auto module =
      decode_kernel(".loc 1 12 1\n@!%p1 setp.lt.s32 %p1, %r1, 16; @%p1 bra L; L: ret;");
  EXPECT_EQ(to_text(kernel_of(*module), *module),
            "k (entry)\n"
            "B0 -> B1 (join B1)\n"
            "  0: @!%p1 setp.lt.s32 %p1 = %r1, 0x10   ; line 12\n"
            "  1: @%p1 bra -> 2   ; line 12\n"
            "B1 -> (join exit)\n"
            "  2: ret    ; line 12, uniform\n");
}

}  // namespace
}  // namespace minitorch::ptx
