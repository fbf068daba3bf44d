// What happens when an index is outside of its array (cpp/ptx/index_checks.cpp).
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

uint64_t value_in(const Context& context, uint32_t row, uint32_t lane) {
  return reinterpret_cast<const uint64_t*>(context.registers + row)[lane];
}

MtFindingKind kind_of(MtSpace space) {
  switch (space) {
    case MtSpace_Shared:
      return MtFinding_OobShared;
    case MtSpace_Local:
      return MtFinding_OobLocal;
    case MtSpace_Const:
      return MtFinding_OobConst;
    default:
      return MtFinding_OobGlobal;
  }
}

MtSpace space_of(uint64_t generic) {
  if (generic >> 56 == kSharedWindow >> 56) return MtSpace_Shared;
  return generic >> 56 == kLocalWindow >> 56 ? MtSpace_Local : MtSpace_Global;
}

}  // namespace

const Step* refuse_index(Context& context, const Step* step) {
  uint32_t outside = 0;
  for (uint32_t left = context.mask; left != 0; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    if (value_in(context, step->a, lane) >= value_in(context, step->b, lane)) {
      outside |= 1u << lane;
    }
  }
  if (outside == 0) return step + 1;
  const uint32_t lane = first_lane(outside);
  const IndexCheck& check = context.frame->code->index_checks[step->e];
  const MtSpace space =
      check.space != MtSpace_None
          ? check.space
          : space_of(value_in(context, check.dimensions[0].address, lane));
  FindingRecord record = record_at(context, step, kind_of(space), lane);
  record.space = space;
  record.access = check.kind;
  record.index_access = check.access;
  for (const IndexCheck::Dimension& each : check.dimensions) {
    record.indices.push_back(
        {each.number, static_cast<int64_t>(value_in(context, each.index, lane)),
         static_cast<int64_t>(value_in(context, each.extent, lane))});
  }
  record.stopped = true;
  context.findings->stop(std::move(record));
  context.stop = Stop::Faulted;
  return nullptr;
}

}  // namespace minitorch::simt
