// The tests of cache entries and the location index; they need no NVRTC.
#include <algorithm>
#include <fstream>

#include "nvrtc/disk_cache.h"
#include "nvrtc/fields.h"
#include "nvrtc/files.h"
#include "nvrtc/location_index.h"
#include "tests/nvrtc/test_place.h"

namespace minitorch::nvrtc {
namespace {

Result sample() {
  Result result;
  result.ptx = ".version 9.0\n.target sm_75\n";
  result.cubin = std::string(
      "\x7f"
      "ELF\0\n\r\\",
      8);
  result.lowered_names["scale<float>"] = "_Z5scaleIfEvPT_";
  result.assembler_log = "ptxas info    : Used 4 registers\nptxas\t.\n";
  Diagnostic warning;
  warning.severity = "warning";
  warning.file = "/minitorch/user/k.cu";
  warning.line = 7;
  warning.column = 3;
  warning.code = "#177-D";
  warning.message = "tab\tand\nnewline and \\";
  warning.source_line = "\tint x;";
  result.warnings.push_back(warning);
  return result;
}

TEST(Fields, ComeBackAsTheyWere) {
  const std::vector<std::string> fields = {"a", "", "tab\tnewline\nback\\slash\r",
                                           "\\t"};
  EXPECT_EQ(split_fields(join_fields(fields)), fields);
  EXPECT_EQ(join_fields(fields).find('\n'), std::string::npos);
}

TEST(Entry, ComesBackAsItWas) {
  const Result result = sample();
  const std::optional<Result> back = parse_entry(entry_text(result), result.cubin);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->ptx, result.ptx);
  EXPECT_EQ(back->cubin, result.cubin);
  EXPECT_EQ(back->lowered_names, result.lowered_names);
  EXPECT_EQ(back->assembler_log, result.assembler_log);
  ASSERT_EQ(back->warnings.size(), 1u);
  EXPECT_EQ(back->warnings[0].message, result.warnings[0].message);
  EXPECT_EQ(back->warnings[0].source_line, result.warnings[0].source_line);
  EXPECT_EQ(back->warnings[0].line, 7);
}

TEST(Entry, IsRefusedWithAnyByteChangedOrCut) {
  const Result result = sample();
  const std::string text = entry_text(result);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= 1;
    EXPECT_FALSE(parse_entry(changed, result.cubin)) << "byte " << i;
    EXPECT_FALSE(parse_entry(text.substr(0, i), result.cubin)) << "cut at " << i;
  }
}

TEST(Entry, IsRefusedWithoutItsCubin) {
  const Result result = sample();
  EXPECT_FALSE(parse_entry(entry_text(result), {}));
  EXPECT_FALSE(parse_entry(entry_text(result), "another"));
}

using DiskCache = CacheTest;

TEST_F(DiskCache, KeepsSourceBesideResult) {
  const std::string key(64, 'a');
  EXPECT_FALSE(load_entry(key));
  store_entry(key, "// the source\n", sample());
  ASSERT_TRUE(load_entry(key));
  EXPECT_EQ(load_entry(key)->ptx, sample().ptx);
  EXPECT_EQ(read_file(folder_ + "/kernels/aa/" + key + ".cu"), "// the source\n");
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_))
    EXPECT_NE(file.path().extension(), ".part") << file.path();
}

TEST_F(DiskCache, WorksWithoutAPlaceToWrite) {
  // A file where the folder should be fails for every user, root too.
  const std::string blocked = folder_ + "/file";
  std::ofstream(blocked) << "not a folder";
  setenv("MINITORCH_CACHE_DIR", blocked.c_str(), 1);
  testing::internal::CaptureStderr();
  store_entry(std::string(64, 'b'), "", sample());
  store_entry(std::string(64, 'c'), "", sample());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_FALSE(load_entry(std::string(64, 'b')));
  // Once per process, whichever test came first.
  EXPECT_LE(std::count(said.begin(), said.end(), '\n'), 1);
}

TEST_F(DiskCache, AnEmptySettingMeansNone) {
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  setenv("MINITORCH_CACHE_DIR", "", 1);
  EXPECT_EQ(cache_directory(), "");
  store_entry(std::string(64, 'd'), "", sample());
  EXPECT_FALSE(load_entry(std::string(64, 'd')));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  unsetenv("MINITORCH_CACHE_DIR");
  EXPECT_EQ(cache_directory(), folder_ + "/minitorch");
  unsetenv("XDG_CACHE_HOME");
}

TEST_F(DiskCache, RemembersALocationUntilItsLibraryChanges) {
  const std::string library = folder_ + "/libnvrtc.so.13";
  std::ofstream(library) << "first";
  const FileStamp stamp = file_stamp(library).value();
  remember(index_row("one", library, {"/a b", "/c\td"}));
  remember(index_row("two", library));
  const std::optional<IndexRow> row = remembered_location("one");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->location.include_dirs, (std::vector<std::string>{"/a b", "/c\td"}));
  EXPECT_EQ(row->version, 13005);
  EXPECT_TRUE(remembered_location("two"));
  EXPECT_FALSE(remembered_location("three"));
  EXPECT_EQ(remembered_version(library, stamp), 13005);
  std::ofstream(library) << "another length";
  EXPECT_FALSE(remembered_location("one"));
  EXPECT_EQ(remembered_version(library, file_stamp(library).value()), 0);
}

TEST_F(DiskCache, IgnoresADamagedIndex) {
  const std::string library = folder_ + "/libnvrtc.so.13";
  std::ofstream(library) << "x";
  remember(index_row("one", library));
  const std::string index = read_file(folder_ + "/nvrtc.index").value();
  for (size_t i = 0; i < index.size(); ++i) {
    std::ofstream(folder_ + "/nvrtc.index") << index.substr(0, i);
    EXPECT_FALSE(remembered_location("one")) << "cut at " << i;
  }
}

}  // namespace
}  // namespace minitorch::nvrtc
