// Owns the fields of findings about two operations.
#include "emulator/driver/host_race_finding.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace minitorch::emulator::driver {
namespace {

using base::copy_text;

MtAccess access_of(Use use) {
  switch (use) {
    case Use::Write:
      return MtAccess_Write;
    case Use::StrongWrite:
      return MtAccess_Atomic;
    default:
      return MtAccess_Read;
  }
}

const char* verb(Use use) {
  return access_of(use) == MtAccess_Read ? "reads" : "writes";
}

void name_allocation(const MemoryUse& told, MtFinding& finding) {
  const auto table = told.user.memory->table();
  const Allocation* found = table->find(finding.address);
  if (found == nullptr) return;
  finding.has_allocation = 1;
  finding.allocation_base = found->base;
  finding.allocation_size = found->size;
  finding.allocation_offset = static_cast<int64_t>(finding.address - found->base);
  copy_text(finding.allocation_label, found->label);
}

/// "nothing orders this in stream 5 and a copy to the host in the default stream, which
/// reads it".
std::string words(const MemoryUse& told, const MemoryUse& other, Use use) {
  const std::string who = other.user.kernel
                              ? base::text("kernel '", other.user.name, "'")
                              : other.user.name;
  const std::string what = told.user.kernel ? "this" : told.user.name;
  return base::text("nothing orders ", what, ", in ", told.user.stream, ", and ", who,
                    ", in ", other.user.stream, ", which ", verb(use), " the same");
}

}  // namespace

const MemoryUse& told_user(const MemoryUse& earlier, const MemoryUse& later) {
  return earlier.user.kernel && !later.user.kernel ? earlier : later;
}

MtFinding host_race_finding(const MemoryUse& earlier, const MemoryUse& later,
                            const Overlap& overlap) {
  const MemoryUse& told = told_user(earlier, later);
  const bool first = &told == &earlier;
  const MemoryUse& other = first ? later : earlier;
  const Use use = first ? overlap.first : overlap.second;
  const Use other_use = first ? overlap.second : overlap.first;
  MtFinding finding{};
  finding.kind =
      told.user.host != other.user.host ? MtFinding_RaceHost : MtFinding_RaceStream;
  const uint64_t tolerated = told.user.tolerated | other.user.tolerated;
  finding.severity = (tolerated >> finding.kind & 1) != 0 ? 0 : 2;
  finding.launch_tag = told.user.tag;
  if (told.user.kernel) copy_text(finding.kernel, told.user.name);
  finding.site =
      site_of_place(told.footprint, first ? overlap.first_place : overlap.second_place);
  if (other.user.kernel) {
    finding.has_other = 1;
    finding.other = site_of_place(other.footprint,
                                  first ? overlap.second_place : overlap.first_place);
  }
  finding.space = MtSpace_Global;
  finding.access = access_of(use);
  finding.address = overlap.address;
  finding.size = static_cast<uint32_t>(std::min<uint64_t>(overlap.size, ~uint32_t{0}));
  finding.parameter_index = -1;
  finding.count = 1;
  name_allocation(told, finding);
  copy_text(finding.detail, words(told, other, other_use));
  return finding;
}

}  // namespace minitorch::emulator::driver
