// The full check of memory accesses, lane by lane, when the fast roads could not admit
// them.
#include "simt/warp/bounds.h"
#include "simt/warp/copies.h"
#include "simt/warp/device_call.h"
#include "simt/warp/findings.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

constexpr uint64_t kNullEnd = 4096;  // addresses below are null pointers plus an index

bool refuse(Context& context, const FindingRecord& record) {
  FindingRecord stopped = record;
  stopped.stopped = true;
  context.findings->stop(std::move(stopped));
  context.stop = Stop::Faulted;
  return false;
}

enum class Verdict : uint8_t {
  Allowed,
  Null,
  Misaligned,
  Freed,
  ReadOnly,
  NotConst,
  Outside,
  Wild
};

Verdict judge(const Context& context, const MemoryForm& form, uint64_t address,
              const Allocation* allocation) {
  if (address < kNullEnd) return Verdict::Null;
  if (address % form.size() != 0) return Verdict::Misaligned;
  if (allocation && !allocation->live) return Verdict::Freed;
  if (!allocation || address + form.size() > allocation->end()) {
    return context.memory->contains(address) && context.table->nearest(address)
               ? Verdict::Outside
               : Verdict::Wild;
  }
  const bool constant = allocation->kind == Allocation::Kind::Constant;
  if (form.space == ptx::Space::Const && !constant) return Verdict::NotConst;
  if (constant && form.kind != MemoryForm::Kind::Load) return Verdict::ReadOnly;
  return Verdict::Allowed;
}

MtFindingKind kind_of(Verdict verdict, const MemoryForm& form,
                      const Allocation* nearest) {
  switch (verdict) {
    case Verdict::Null:
      return MtFinding_NullPointer;
    case Verdict::Misaligned:
      return MtFinding_Misaligned;
    case Verdict::Freed:
      return MtFinding_UseAfterFree;
    case Verdict::ReadOnly:
      return MtFinding_ReadonlyWrite;
    case Verdict::NotConst:
      return MtFinding_OobConst;
    case Verdict::Outside: {
      const bool constant = nearest && nearest->kind == Allocation::Kind::Constant;
      return form.space == ptx::Space::Const || constant ? MtFinding_OobConst
                                                         : MtFinding_OobGlobal;
    }
    default:
      return MtFinding_WildPointer;
  }
}

/// Bounds and alignment of a space that is one piece per block or thread.
bool admit_piece(Context& context, const Step* step, uint64_t bias,
                 const AllocationHit& bounds, MtFindingKind outside, MtSpace space) {
  const MemoryForm& form = form_of(context, step);
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const uint64_t address = lane_address(context, step, lane) - bias;
    const bool misaligned = address % form.size() != 0;
    const bool starts = bounds.holds(address, 1);
    if (bounds.holds(address, form.size()) && !misaligned) continue;
    FindingRecord record = record_access(
        context, step, misaligned && starts ? MtFinding_Misaligned : outside, lane,
        space, address);
    if (form.base == MemoryForm::Base::Variable) record.variable = form.base_index;
    return refuse(context, record);
  }
  return true;
}

}  // namespace

const MemoryForm& form_of(const Context& context, const Step* step) {
  return context.frame->code->accesses[step->e];
}

bool admit_global(Context& context, const Step* step, AllocationHit& hit) {
  const MemoryForm& form = form_of(context, step);
  AllocationHit common;
  bool same = true;
  for (uint32_t left = context.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const uint64_t address = lane_address(context, step, lane);
    Allocation room;
    const Allocation* const allocation = find_allocation(context, address, room);
    const Verdict verdict = judge(context, form, address, allocation);
    if (verdict != Verdict::Allowed) {
      const Allocation* nearest = context.table->nearest(address);
      const MtFindingKind kind = kind_of(verdict, form, nearest);
      const MtSpace space = kind == MtFinding_OobConst ? MtSpace_Const : MtSpace_Global;
      return refuse(context, record_access(context, step, kind, lane, space, address));
    }
    const Allocation* meant = meant_allocation(*context.launch, *context.table, form);
    if (meant && meant != allocation && !adjoin(context, *meant, *allocation)) {
      FindingRecord record = record_access(context, step, MtFinding_OobGlobal, lane,
                                           MtSpace_Global, address);
      record.meant = meant->base;
      return refuse(context, record);
    }
    same &= common.high == 0 || common.low == allocation->base;
    common = {allocation->base, allocation->end()};
  }
  if (same) hit = common;
  return true;
}

bool admit_shared(Context& context, const Step* step, uint64_t bias) {
  const AllocationHit bounds = shared_bounds(context, form_of(context, step));
  if (!admit_piece(context, step, bias, bounds, MtFinding_OobShared, MtSpace_Shared)) {
    return false;
  }
  context.hits[shared_hit(step, bias)] = bounds;
  return true;
}

bool admit_local(Context& context, const Step* step, uint64_t bias) {
  const AllocationHit bounds = {0, context.local_bytes};
  return admit_piece(context, step, bias, bounds, MtFinding_OobLocal, MtSpace_Local);
}

void mark_written(Context& context, uint64_t address, uint64_t size) {
  context.memory->mark_written(address, size);
}

uint32_t copied_components(Context& context, const Step* step) {
  const auto [at, fresh] = context.copied.try_emplace(step, 0);
  if (!fresh) return at->second;
  const ptx::Function& function = *context.frame->code->function;
  const auto& to = function.instructions[step->instruction].destinations;
  for (size_t i = 0; i < to.size(); ++i) {
    const bool copied = to[i].kind != ptx::Operand::Kind::Register ||
                        is_only_copied(function, to[i].index);
    if (copied) at->second |= 1u << i;
  }
  return at->second;
}

}  // namespace minitorch::simt
