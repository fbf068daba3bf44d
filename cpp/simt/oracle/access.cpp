// The memory checks of the scalar oracle: every access is looked up in the table of
// allocations.
#include "simt/oracle/machine.h"

namespace minitorch::simt::scalar {

using ptx::Space;

namespace {

constexpr uint64_t kNullEnd = 4096;  // addresses below are null pointers plus an index
constexpr uint64_t kWindowMask = uint64_t{0xff} << 56;

}  // namespace

uint8_t* Machine::place(Thread& thread, const Access& access) {
  Access narrowed = access;
  if (access.space == Space::Generic) {
    narrowed.space = Space::Global;
    if ((access.address & kWindowMask) == kParamWindow &&
        access.kind == MtAccess_Read) {
      narrowed.address &= ~kWindowMask;
      return place_piece(thread, narrowed, thread.frames[0].parameters, 0,
                         MtFinding_OobConst, MtSpace_Param);
    }
    if ((access.address & kWindowMask) == kSharedWindow) narrowed.space = Space::Shared;
    // Local memory has no atomics: for them its window is no memory.
    const bool local = (access.address & kWindowMask) == kLocalWindow;
    if (local && access.kind != MtAccess_Atomic) narrowed.space = Space::Local;
    if (narrowed.space != Space::Global) narrowed.address &= ~kWindowMask;
  }
  if (narrowed.space == Space::Shared) {
    return place_piece(thread, narrowed, shared_, kSharedBase, MtFinding_OobShared,
                       MtSpace_Shared);
  }
  if (narrowed.space == Space::Local) {
    return place_piece(thread, narrowed, thread.local, kLocalBase, MtFinding_OobLocal,
                       MtSpace_Local);
  }
  return place_global(thread, narrowed);
}

uint8_t* Machine::place_piece(Thread& thread, const Access& access,
                              std::vector<uint8_t>& bytes, uint64_t base,
                              MtFindingKind outside, MtSpace space) {
  const uint64_t at = access.address - base;
  const bool inside = at < bytes.size() && access.size <= bytes.size() - at;
  if (inside && at % access.size == 0) return bytes.data() + at;
  const bool misaligned = at < bytes.size() && at % access.size != 0;
  FindingRecord found = record(thread, misaligned ? MtFinding_Misaligned : outside);
  found.space = space;
  found.access = access.kind;
  found.address = at;
  found.size = access.size;
  found.stopped = true;
  throw Fault{found};
}

uint8_t* Machine::place_global(Thread& thread, const Access& access) {
  FindingRecord found = record(thread, MtFinding_WildPointer);
  found.space = MtSpace_Global;
  found.access = access.kind;
  found.address = access.address;
  found.size = access.size;
  const auto refuse = [&](MtFindingKind kind) {
    found.kind = kind;
    found.space = kind == MtFinding_OobConst ? MtSpace_Const : MtSpace_Global;
    found.stopped = true;
    throw Fault{found};
  };
  if (access.address < kNullEnd) refuse(MtFinding_NullPointer);
  if (access.address % access.size != 0) refuse(MtFinding_Misaligned);
  const Allocation* allocation = table_->find(access.address);
  if (allocation && !allocation->live) refuse(MtFinding_UseAfterFree);
  if (!allocation || access.address + access.size > allocation->end()) {
    const Allocation* nearest = table_->nearest(access.address);
    if (!launch_.memory->contains(access.address) || !nearest) {
      refuse(MtFinding_WildPointer);
    }
    const bool constant = nearest->kind == Allocation::Kind::Constant;
    refuse(access.space == Space::Const || constant ? MtFinding_OobConst
                                                    : MtFinding_OobGlobal);
  }
  const bool constant = allocation->kind == Allocation::Kind::Constant;
  if (access.space == Space::Const && !constant) refuse(MtFinding_OobConst);
  if (constant && access.kind != MtAccess_Read) refuse(MtFinding_ReadonlyWrite);
  Memory& memory = *launch_.memory;
  if (access.kind != MtAccess_Write && (launch_.checks & MtCheck_UninitGlobal) &&
      !memory.is_written(access.address, access.size)) {
    found.kind = MtFinding_UninitGlobal;
    note(found);
  }
  if (access.kind != MtAccess_Read) memory.mark_written(access.address, access.size);
  return reinterpret_cast<uint8_t*>(access.address);
}

}  // namespace minitorch::simt::scalar
