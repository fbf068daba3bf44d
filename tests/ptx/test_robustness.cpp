// decode() answers any text with a module or a PtxError: truncated, mutated and
// shuffled modules, deep nesting, huge numbers.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "ptx/to_text.h"
#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

std::vector<std::string> small_modules() {
  std::vector<std::string> texts;
  for (const char* name :
       {"noinline_call", "named_barrier", "atomics_all", "half_arith", "switch_br",
        "printf_k", "struct_arg", "cp_async", "sregs"}) {
    std::ifstream file(std::string(MINITORCH_TEST_PTX "/ptx/") + name + ".ptx");
    std::stringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// True when the text is a module; throws anything but PtxError on.
bool survives(const std::string& text) {
  try {
    const auto module = decode(text);
    for (const Function& function : module->functions) to_text(function, *module);
    return true;
  } catch (const PtxError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("[ptx] got ")) << error.what();
    return false;
  }
}

// Texts that the fuzzer (tests/fuzz) came to: each takes the decoder a way of its own.
TEST(Robustness, TextsOfTheFuzzer) {
  const auto data = std::filesystem::path(MINITORCH_TEST_DATA);
  size_t texts = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(data.parent_path() / "found")) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    try {
      decode(text.str());
    } catch (const PtxError& error) {
      EXPECT_GT(error.line, 0u) << entry.path();
      EXPECT_GT(error.column, 0u) << entry.path();
    }
    ++texts;
  }
  EXPECT_GE(texts, 20u);
}

TEST(Robustness, Truncations) {
  size_t refused = 0;
  for (const std::string& text : small_modules())
    for (size_t length = 0; length < text.size(); length += 17)
      refused += !survives(text.substr(0, length));
  EXPECT_GT(refused, 500u);
}

TEST(Robustness, MutatedBytes) {
  std::mt19937 random(1);
  const std::string_view alphabet = "{}[]()<>,;:.@!%|+-=_ \n\"/*0123456789abfrx$";
  size_t refused = 0;
  for (const std::string& text : small_modules())
    for (int trial = 0; trial < 150; ++trial) {
      std::string mutated = text;
      for (uint32_t change = 0; change <= random() % 3; ++change) {
        const size_t at = random() % mutated.size();
        switch (random() % 3) {
          case 0:
            mutated[at] = alphabet[random() % alphabet.size()];
            break;
          case 1:
            mutated.erase(at, 1 + random() % 12);
            break;
          default:
            mutated.insert(at, 1, alphabet[random() % alphabet.size()]);
        }
      }
      refused += !survives(mutated);
    }
  EXPECT_GT(refused, 100u);
}

TEST(Robustness, ShuffledLines) {
  std::mt19937 random(2);
  for (const std::string& text : small_modules()) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
    for (int trial = 0; trial < 60; ++trial) {
      std::vector<std::string> mixed = lines;
      for (int swap = 0; swap < 3; ++swap)
        std::swap(mixed[random() % mixed.size()], mixed[random() % mixed.size()]);
      std::string joined;
      for (const std::string& line : mixed) joined += line;
      survives(joined);
    }
  }
}

TEST(Robustness, DeepNesting) {
  const std::string deep(100000, '(');
  EXPECT_FALSE(survives(kernel_text("mov.u32 %r1, " + deep + ";")));
  EXPECT_FALSE(
      survives(kernel_text("mov.u32 %r1, " + std::string(100000, '-') + "1;")));
  EXPECT_FALSE(survives(kernel_text("mov.u32 %r1, " + std::string(100000, '{') + ";")));
  EXPECT_FALSE(survives(kHeader + ".global .u8 a[2] = " + std::string(100000, '{')));
  std::string scopes;
  for (int i = 0; i < 20000; ++i) scopes += "{";
  for (int i = 0; i < 20000; ++i) scopes += "}";
  EXPECT_TRUE(survives(kernel_text(scopes)));
}

TEST(Robustness, HugeNumbers) {
  EXPECT_FALSE(survives(kernel_text(".reg .b32 %z<2000000000>;")));
  EXPECT_FALSE(survives(kernel_text("mov.u64 %rd1, 99999999999999999999999;")));
  EXPECT_FALSE(survives(kHeader + ".global .u64 a[0xffffffffffffffff];"));
  EXPECT_FALSE(survives(kHeader + ".entry k(.param .b8 a[2000000]) { ret; }"));
  EXPECT_TRUE(
      survives(kernel_text("mov.u32 %r1, %r2; ld.global.u32 %r1, "
                           "[%rd1+0x7fffffffffffffff];")));
  EXPECT_TRUE(survives(kernel_text(".loc 2147483647 2147483647 1\n ret;")));
}

}  // namespace
}  // namespace minitorch::ptx
