// What printf makes of formats and of arguments as the compiler lays them out.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "simt/warp/print_format.h"

namespace minitorch::simt {
namespace {

template <class T>
void add(std::vector<uint8_t>& bytes, T value) {
  while (bytes.size() % sizeof(T) != 0) bytes.push_back(0);
  const auto* from = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof(T));
}

std::string printed(const std::string& format, const std::vector<uint8_t>& bytes) {
  PrintSource source;
  source.read = [&](uint64_t offset, void* to, uint32_t size) {
    if (offset + size <= bytes.size()) std::memcpy(to, bytes.data() + offset, size);
  };
  source.text = [](uint64_t address) { return address == 7 ? "seven" : ""; };
  return format_print(format, source);
}

TEST(PrintFormat, ReadsEachArgumentAtAMultipleOfItsSize) {
  std::vector<uint8_t> bytes;
  add(bytes, int32_t{-5});
  add(bytes, 2.5);
  add(bytes, uint64_t{7});
  add(bytes, int64_t{-6000000000});
  add(bytes, uint32_t{255});
  EXPECT_EQ(printed("%d|%.2f|%6s|%lld|%x|100%%", bytes),
            "-5|2.50| seven|-6000000000|ff|100%");
}

TEST(PrintFormat, HugeWidthsAndBrokenFormatsStaySmall) {
  std::vector<uint8_t> bytes;
  add(bytes, int32_t{1});
  EXPECT_LE(printed("%2000000000d", bytes).size(), size_t{10000});
  EXPECT_LE(printed("%.2000000000f", bytes).size(), size_t{10000});
  EXPECT_EQ(printed("%", bytes), "");
  EXPECT_EQ(printed("a%q", bytes), "a");
}

}  // namespace
}  // namespace minitorch::simt
