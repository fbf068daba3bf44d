#include "simt/warp/findings.h"

#include <tuple>

namespace minitorch::simt {

Site site_of(const Block& block, const Warp& warp, const Frame& frame,
             uint32_t instruction, uint32_t lane) {
  Site site;
  site.function = frame.code->index;
  site.instruction = instruction;
  site.block = block.number;
  site.thread = warp.index * kLanes + lane;
  constexpr size_t kCallers = 4;
  const Frame* inner = &frame;
  for (; inner->caller && site.callers.size() < kCallers; inner = inner->caller) {
    const Step* const call = inner->return_to - 1;
    site.callers.emplace_back(inner->caller->code->index, call->instruction);
  }
  return site;
}

Site site_at(const Context& context, const Step* step, uint32_t lane) {
  return site_of(*context.block, *context.warp, *context.frame, step->instruction,
                 lane);
}

FindingRecord record_at(const Context& context, const Step* step, MtFindingKind kind,
                        uint32_t lane) {
  FindingRecord record;
  record.kind = kind;
  record.site = site_at(context, step, lane);
  return record;
}

FindingRecord record_access(const Context& context, const Step* step,
                            MtFindingKind kind, uint32_t lane, MtSpace space,
                            uint64_t address) {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  FindingRecord record = record_at(context, step, kind, lane);
  record.space = space;
  record.access = access_of(form);
  record.address = address;
  record.size = form.size();
  return record;
}

uint64_t lane_address(const Context& context, const Step* step, uint32_t lane) {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  const uint8_t* const row = context.registers + step->a;
  // As in pattern.h: with a signed base the sum wraps at 32 bits.
  const uint64_t base =
      form.address_bytes == 8
          ? reinterpret_cast<const uint64_t*>(row)[lane]
          : static_cast<uint64_t>(reinterpret_cast<const int32_t*>(row)[lane]);
  return base + static_cast<uint64_t>(step->immediate);
}

void Findings::note(const Context& context, const FindingRecord& record,
                    uint64_t times) {
  Key key = {record.site.function,  record.site.instruction,  record.kind,
             record.other.function, record.other.instruction, record.note,
             record.raced};
  if (record.lines[0] != ptx::kNone) {
    key.function = key.other_function = ptx::kNone;
    key.instruction = record.lines[0];
    key.other_instruction = record.lines[1];
  }
  Entry& entry = notes_[key];
  const uint64_t block = context.block->number;
  const FindingRecord& first = entry.first;
  if (entry.per_block.empty() || block < first.site.block ||
      (block == first.site.block && record.site.thread < first.site.thread)) {
    entry.first = record;
  }
  entry.per_block[block] += times;
}

void Findings::stop(FindingRecord record) {
  const auto order = [](const Site& site) {
    return std::tie(site.block, site.thread, site.instruction);
  };
  if (has_fault_ && order(fault_.site) <= order(record.site)) return;
  fault_ = std::move(record);
  has_fault_ = true;
}

}  // namespace minitorch::simt
