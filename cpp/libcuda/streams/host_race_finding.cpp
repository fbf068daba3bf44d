#include "libcuda/streams/host_race_finding.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace minitorch::libcuda {
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

MtOperation operation_of(const MemoryUse& used, Use use) {
  MtOperation operation = used.user.operation;
  operation.tag = used.user.tag;
  operation.access = access_of(use);
  return operation;
}

}  // namespace

const MemoryUse& told_user(const MemoryUse& earlier, const MemoryUse& later) {
  return earlier.of_kernel() && !later.of_kernel() ? earlier : later;
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
  if (told.of_kernel()) copy_text(finding.kernel, told.user.name);
  finding.site =
      site_of_place(told.footprint, first ? overlap.first_place : overlap.second_place);
  if (other.of_kernel()) {
    finding.has_other = 1;
    copy_text(finding.other_kernel, other.user.name);
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
  finding.operations[0] = operation_of(told, use);
  finding.operations[1] = operation_of(other, other_use);
  return finding;
}

}  // namespace minitorch::libcuda
