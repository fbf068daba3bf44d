// Owns the words for two accesses that nothing orders. The emulator's detail says what
// the other thread did and what is missing: "the other thread reads; same block: put
// __syncthreads() between them". Must not know how races are found.
#include "runtime/race_text.h"

#include <cctype>
#include <string_view>

#include "base/text.h"
#include "runtime/finding_text.h"

namespace minitorch::runtime {
namespace {

constexpr std::string_view kOtherDoes = "the other thread ";

std::string capitalised(std::string_view text) {
  std::string sentence(text);
  if (!sentence.empty())
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return sentence;
}

// What the other thread does, in the detail's words; "" where it does not say.
std::string_view other_verb(std::string_view detail) {
  if (!detail.starts_with(kOtherDoes)) return {};
  detail.remove_prefix(kOtherDoes.size());
  return detail.substr(0, detail.find(';'));
}

const char* verb(int32_t access) {
  switch (access) {
    case MtAccess_Read:
      return "reads";
    case MtAccess_Write:
      return "writes";
    case MtAccess_Atomic:
      return "atomically changes";
    default:
      return "accesses";
  }
}

std::string site(const MtSite& at, std::string_view does) {
  std::string text = base::text("thread (", at.thread[0], ",", at.thread[1], ",",
                                at.thread[2], ") of block (", at.block[0], ",",
                                at.block[1], ",", at.block[2], ") ", does, " it");
  if (at.position.line > 0)
    text += base::text(" at ", short_file(at.position.file), ":", at.position.line);
  for (int32_t i = 0; i < at.inlined_count; ++i)
    text += base::text(", called from ", short_file(at.inlined_from[i].file), ":",
                       at.inlined_from[i].line);
  return text;
}

bool same_block(const MtSite& a, const MtSite& b) {
  return a.block[0] == b.block[0] && a.block[1] == b.block[1] &&
         a.block[2] == b.block[2];
}

std::string place(const MtFinding& f) {
  if (!f.has_allocation)
    return base::text(f.size, " bytes at ",
                      f.space == MtSpace_Shared ? "shared" : "global", " address 0x",
                      std::hex, f.address);
  const auto size = static_cast<int64_t>(f.size);
  const std::string of =
      f.allocation_label[0]
          ? base::text("'", f.allocation_label, "' (", f.allocation_size, " bytes)")
          : base::text("an allocation of ", f.allocation_size, " bytes");
  if (size > 0 && f.allocation_offset % size == 0)
    return base::text("element ", f.allocation_offset / size, " (of ", size,
                      " bytes) of ", of);
  return base::text("offset ", f.allocation_offset, " of ", of);
}

}  // namespace

bool is_race(const MtFinding& f) {
  return f.kind == MtFinding_RaceShared || f.kind == MtFinding_RaceGlobal ||
         f.kind == MtFinding_RaceBenign;
}

std::string race_what(const MtFinding& f) {
  return base::text(
      f.kind == MtFinding_RaceBenign ? "race that changes nothing on " : "race on ",
      place(f));
}

std::string race_sites(const MtFinding& f) {
  std::string text = site(f.site, verb(f.access));
  if (!f.has_other) return text;
  const std::string_view does = other_verb(f.detail);
  text += base::text("; ", site(f.other, does.empty() ? "accesses" : does));
  return text + "; nothing orders the two";
}

std::string race_hint(const MtFinding& f) {
  const std::string_view detail = f.detail;
  const size_t missing = detail.find("; ");
  if (!other_verb(detail).empty() && missing != std::string_view::npos)
    return capitalised(detail.substr(missing + 2)) + ".";
  if (f.has_other && !same_block(f.site, f.other))
    return "Different blocks are not ordered: use an atomic, or a second kernel.";
  return "Put __syncthreads() (in one warp: __syncwarp()) between the two accesses.";
}

}  // namespace minitorch::runtime
