// The tests of the sentences about findings.
#include "findings/sentences.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "findings/details.h"

namespace minitorch::findings {
namespace {

// A write of 4 bytes at `offset` of 'out' (4096 bytes), thread (3,0,0) of block
// (1,0,0).
MtFinding write_at(int64_t offset) {
  MtFinding finding{};
  finding.kind = MtFinding_OobGlobal;
  finding.severity = 2;
  finding.space = MtSpace_Global;
  finding.access = MtAccess_Write;
  finding.size = 4;
  finding.has_allocation = 1;
  finding.allocation_size = 4096;
  finding.allocation_offset = offset;
  finding.address = static_cast<uint64_t>(0x10000 + offset);
  finding.count = 1;
  finding.site.block[0] = 1;
  finding.site.thread[0] = 3;
  finding.site.position.line = 14;
  std::snprintf(finding.allocation_label, sizeof finding.allocation_label, "out");
  std::snprintf(finding.kernel, sizeof finding.kernel, "k");
  std::snprintf(finding.site.position.file, sizeof finding.site.position.file,
                "/minitorch/user/file.cu");
  return finding;
}

TEST(FindingText, SaysHowFarOutside) {
  EXPECT_EQ(what_text(write_at(4160)),
            "write of 4 bytes, 64 past the end of 'out' (4096 bytes)");
  EXPECT_EQ(what_text(write_at(4096)),
            "write of 4 bytes, just past the end of 'out' (4096 bytes)");
  EXPECT_EQ(what_text(write_at(-8)),
            "write of 4 bytes, 8 before the start of 'out' (4096 bytes)");
  EXPECT_EQ(what_text(write_at(4094)),
            "write of 4 bytes, reaching over the end of 'out' (4096 bytes)");
  MtFinding unnamed = write_at(4160);
  unnamed.allocation_label[0] = '\0';
  EXPECT_EQ(what_text(unnamed),
            "write of 4 bytes, 64 past the end of an allocation of 4096 bytes");
}

TEST(FindingText, IsOneSentenceWithPlaceAndHint) {
  EXPECT_EQ(
      finding_text(write_at(4160), "train.py:12"),
      "write of 4 bytes, 64 past the end of 'out' (4096 bytes): thread (3,0,0) of "
      "block (1,0,0), file.cu:14 in k, launched at train.py:12. Counted in 4-byte "
      "elements that is index 1040 of 1024. Guard the access with the array's "
      "length, e.g. if (i < n), or check the grid.");
}

TEST(FindingText, NamesTheCallChainAndTheOtherSite) {
  MtFinding finding = write_at(4160);
  finding.site.inlined_count = 1;
  finding.site.inlined_from[0].line = 30;
  std::snprintf(finding.site.inlined_from[0].file, 256, "/minitorch/user/file.cu");
  finding.has_other = 1;
  finding.other = finding.site;
  finding.other.thread[0] = 9;
  const std::string text = finding_text(finding, "");
  EXPECT_NE(text.find("file.cu:14, called from file.cu:30 in k; and thread (9,0,0)"),
            std::string::npos)
      << text;
}

TEST(FindingText, EveryKindHasItsNameAndWords) {
  for (int32_t kind = 0; kind < MtFinding_Count; ++kind) {
    MtFinding finding = write_at(0);
    finding.kind = kind;
    EXPECT_STRNE(kind_name(kind), "unknown") << kind;
    EXPECT_FALSE(what_text(finding).empty()) << kind_name(kind);
    EXPECT_TRUE(finding_text(finding, "").ends_with(".")) << finding_text(finding, "");
  }
  EXPECT_STREQ(kind_name(MtFinding_UseAfterFree), "use_after_free");
  EXPECT_STREQ(kind_name(-1), "unknown");
}

// Thread (33,0,0) writes element 33 of 's' at line 12, thread (1,0,0) reads it at 14.
MtFinding shared_race() {
  MtFinding race = write_at(132);
  race.kind = MtFinding_RaceShared;
  race.space = MtSpace_Shared;
  race.allocation_size = 256;
  race.has_other = 1;
  race.site.block[0] = 0;
  race.site.thread[0] = 33;
  race.site.position.line = 12;
  race.other = race.site;
  race.other.thread[0] = 1;
  race.other.position.line = 14;
  std::snprintf(race.allocation_label, sizeof race.allocation_label, "s");
  race.other_access = MtAccess_Read;
  race.remedy = MtRemedy_BlockBarrier;
  return race;
}

TEST(FindingText, RacesNameBothSitesAndWhatIsMissing) {
  EXPECT_EQ(finding_text(shared_race(), "train.py:12"),
            "race on element 33 (of 4 bytes) of 's' (256 bytes): thread (33,0,0) of "
            "block (0,0,0) writes it at file.cu:12; thread (1,0,0) of block (0,0,0) "
            "reads it at file.cu:14; nothing orders the two, in k, launched at "
            "train.py:12. Same block: put __syncthreads() between them.");
  MtFinding many = shared_race();
  many.count = 7;
  many.allocation_offset = 130;
  const std::string text = finding_text(many, "");
  EXPECT_NE(text.find("race on offset 130 of 's'"), std::string::npos) << text;
  EXPECT_NE(text.find("in k (7 times). Same"), std::string::npos) << text;
}

TEST(FindingText, RacesWithoutWordsOfTheDetectorStillAdvise) {
  MtFinding race = shared_race();
  race.other_access = MtAccess_None;
  race.remedy = MtRemedy_OfKind;
  race.other.inlined_count = 1;
  race.other.inlined_from[0].line = 30;
  std::snprintf(race.other.inlined_from[0].file, 256, "/minitorch/user/file.cu");
  const std::string text = finding_text(race, "");
  EXPECT_NE(text.find("accesses it at file.cu:14, called from file.cu:30;"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("__syncthreads()"), std::string::npos);
  race.has_allocation = 0;
  EXPECT_NE(what_text(race).find("4 bytes at shared address 0x"), std::string::npos);
}

TEST(FindingText, EqualValuesAreSaidToBeHarmless) {
  MtFinding benign = shared_race();
  benign.kind = MtFinding_RaceBenign;
  const std::string text = finding_text(benign, "");
  EXPECT_TRUE(text.starts_with("race that changes nothing on element 33")) << text;
  EXPECT_NE(text.find("same value"), std::string::npos);
}

TEST(FindingText, TheDetailOfARaceSaysWhatTheOtherDoesAndWhatIsMissing) {
  MtFinding race = shared_race();
  EXPECT_EQ(detail_text(race),
            "the other thread reads; same block: put __syncthreads() between them");
  race.read_first = 1;
  EXPECT_TRUE(hint_text(race).ends_with(
      "between them (here the read came first and found no value)."));
  race.remedy = MtRemedy_AwaitCopy;
  race.other_access = MtAccess_CopyTo;
  EXPECT_TRUE(detail_text(race).starts_with(
      "the other thread copies to; the copy was not waited for: wait for it"));
}

TEST(FindingText, TheDetailOfTwoOperationsNamesBothAndTheirStreams) {
  MtFinding race = write_at(0);
  race.kind = MtFinding_RaceStream;
  race.operations[0] = {MtOperation_Kernel, MtAccess_Write, MtStream_Blocking, 5};
  race.operations[1] = {MtOperation_Fill, MtAccess_Write, MtStream_Default, 0};
  EXPECT_EQ(detail_text(race),
            "nothing orders this, in stream 5, and a fill, in the default stream, "
            "which writes the same");
  EXPECT_EQ(launched_text(race, "a.py:1", "a.py:2"),
            ", launched at a.py:1; the fill at a.py:2");
  race.operations[0].kind = MtOperation_CopyToHost;
  race.operations[1] = {MtOperation_Kernel, MtAccess_Read, MtStream_NonBlocking, 6};
  std::snprintf(race.other_kernel, sizeof race.other_kernel, "add");
  EXPECT_EQ(detail_text(race),
            "nothing orders a copy to the host, in stream 5, and kernel 'add', in "
            "stream 6 (non-blocking), which reads the same");
  EXPECT_EQ(launched_text(race, "a.py:1", "a.py:2"),
            ", called at a.py:1; the other launch at a.py:2");
}

TEST(FindingText, WaitingThreadsAreCountedByTheReadersLines) {
  MtFinding stall{};
  stall.kind = MtFinding_Deadlock;
  std::snprintf(stall.detail, sizeof stall.detail, "threads wait");
  stall.whereabouts_count = 2;
  stall.whereabouts[0] = {8, 32, 0};
  stall.whereabouts[1] = {5, 1, 1};
  EXPECT_EQ(what_text(stall),
            "threads wait: 32 waiting at line 8, 1 running at line 5");
  Wording wording;
  wording.line = [](uint32_t line) { return line + 100; };
  EXPECT_EQ(what_text(stall, wording),
            "threads wait: 32 waiting at line 108, 1 running at line 105");
}

TEST(FindingText, PythonHasItsNamesAndTheElementOfItsSubscript) {
  Wording python{Language::Python, {}, "s[33]", {}};
  EXPECT_EQ(what_text(shared_race(), python), "race on s[33]");
  EXPECT_EQ(hint_text(shared_race(), python),
            "Same block: put cuda.syncthreads() between them.");
  MtFinding division{};
  division.kind = MtFinding_DivByZero;
  std::snprintf(division.detail, sizeof division.detail, "div.s32");
  EXPECT_EQ(what_text(division), "integer division by zero (div.s32)");
  python.detail = "//";
  EXPECT_EQ(what_text(division, python), "integer division by zero (//)");
  python.detail = "";
  EXPECT_EQ(what_text(division, python), "integer division by zero");
}

TEST(FindingText, NoFieldOfTheTablesIsLeftOpen) {
  MtFinding finding = write_at(0);
  for (finding.kind = 0; finding.kind < MtFinding_Count; ++finding.kind) {
    for (finding.remedy = 0; finding.remedy < MtRemedy_Count; ++finding.remedy) {
      for (const Language language : {Language::Cpp, Language::Python}) {
        const Wording wording{language, {}, {}, {}};
        const std::string text =
            what_text(finding, wording) + hint_text(finding, wording);
        EXPECT_EQ(text.find('{'), std::string::npos) << text;
        EXPECT_EQ(text.find('|'), std::string::npos) << text;
      }
    }
  }
}

TEST(FindingText, RacesAdviseByDistance) {
  MtFinding race = write_at(0);
  race.kind = MtFinding_RaceGlobal;
  race.has_other = 1;
  race.other = race.site;
  EXPECT_NE(hint_text(race).find("__syncthreads()"), std::string::npos);
  race.other.block[0] = 7;
  EXPECT_NE(hint_text(race).find("atomic"), std::string::npos);
}

}  // namespace
}  // namespace minitorch::findings
