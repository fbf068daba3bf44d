#include "simt/observers/trace/trace_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

uint64_t key_of(const Context& context) {
  return context.block->number * kMaxWarps + context.warp->index;
}

uint8_t space_of(ptx::Space space) {
  if (space == ptx::Space::Shared) return MtSpace_Shared;
  return space == ptx::Space::Local ? MtSpace_Local : MtSpace_Global;
}

uint8_t access_of(MemoryForm::Kind kind) {
  if (kind == MemoryForm::Kind::Load) return MtAccess_Read;
  return kind == MemoryForm::Kind::Store ? MtAccess_Write : MtAccess_Atomic;
}

/// Of an entry of MtTraceFilter::blocks; of a place outside the grid no block's.
uint64_t block_number(uint64_t wanted, const base::Dim3& grid) {
  if ((wanted & MtTraceFilter::kIsPlace) == 0) return wanted;
  const uint64_t x = (wanted & ~MtTraceFilter::kIsPlace) >> 32;
  const uint64_t y = wanted >> 16 & 0xffff, z = wanted & 0xffff;
  if (x >= grid.x || y >= grid.y || z >= grid.z) return ~uint64_t{0};
  return x + grid.x * (y + grid.y * z);
}

/// `size` bytes of what a lane sees at an address that has been admitted.
uint64_t read(const Context& context, uint8_t space, uint64_t at, uint32_t lane,
              uint32_t size) {
  uint64_t value = 0;
  if (space == MtSpace_Global) {
    std::memcpy(&value, reinterpret_cast<const void*>(at), size);
  } else if (space == MtSpace_Shared) {
    std::memcpy(&value, context.shared + at, size);
  } else {
    for (uint32_t byte = 0; byte < size; ++byte) {
      const uint64_t where = at + byte;
      const uint32_t word = context.local[where / 4 * kLanes + lane];
      value |= uint64_t{word >> (8 * (where % 4)) & 0xff} << (8 * byte);
    }
  }
  return value;
}

}  // namespace

const ObserverRow kTraceRow = {
    MtCheck_Trace, true,
    [](const LaunchState& launch) -> std::unique_ptr<Observer> {
      return std::make_unique<TraceWriter>(*launch.launch);
    },
    nullptr};

TraceWriter::TraceWriter(const Launch& launch)
    : limit_(launch.trace_limit),
      warps_(launch.trace_filter.warps),
      filtered_(launch.trace_filter.block_count != 0 || ~warps_ != 0),
      all_blocks_(launch.trace_filter.block_count == 0),
      columns_(std::make_unique<TraceColumns>()) {
  for (uint32_t i = 0; i < launch.trace_filter.block_count; ++i) {
    const uint64_t number = block_number(launch.trace_filter.blocks[i], launch.grid);
    if (number < launch.grid.count()) blocks_.push_back(number);
  }
}

void TraceWriter::ask(uint64_t block) {
  asked_block_ = block;
  wants_block_ =
      all_blocks_ || std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end();
}

bool TraceWriter::has_room(uint64_t bytes) {
  if (columns_->truncated || bytes_ + bytes > limit_) {
    columns_->truncated = true;
    return false;
  }
  bytes_ += bytes;
  return true;
}

uint64_t TraceWriter::row_of_step(const Context& context) {
  return last_[key_of(context)][first_lane(context.mask)];
}

void TraceWriter::step(const Context& context, uint32_t instruction,
                       uint32_t executing) {
  if (!has_room(TraceColumns::kStepBytes)) return;
  auto& last = last_[key_of(context)];
  for (uint32_t left = context.mask; left; left &= left - 1) {
    last[first_lane(left)] = columns_->block.size();
  }
  columns_->block.push_back(static_cast<uint32_t>(context.block->number));
  columns_->warp.push_back(context.warp->index);
  columns_->instruction.push_back(instruction);
  columns_->mask.push_back(executing);
}

void TraceWriter::access(const Context& context, const MemoryForm& form,
                         ptx::Space space, uint32_t mask, const uint64_t* at) {
  if (!has_room(TraceColumns::kAccessBytes * form.vector)) return;
  TraceColumns& to = *columns_;
  for (uint32_t element = 0; element < form.vector; ++element) {
    pending_.push_back(to.access_step.size());
    to.access_step.push_back(row_of_step(context));
    to.access_mask.push_back(mask);
    to.access_kind.push_back(access_of(form.kind));
    to.access_space.push_back(space_of(space));
    to.access_size.push_back(form.bytes);
    to.access_element.push_back(static_cast<uint8_t>(element));
    for (uint32_t i = 0; i < kLanes; ++i) {
      const bool on = mask >> i & 1;
      to.access_address.push_back(on ? at[i] + element * form.bytes : 0);
      to.access_value.push_back(0);
    }
  }
}

void TraceWriter::values(const Context& context) {
  TraceColumns& to = *columns_;
  for (const uint64_t row : pending_) {
    for (uint32_t left = to.access_mask[row]; left; left &= left - 1) {
      const uint32_t i = first_lane(left);
      to.access_value[row * kLanes + i] =
          read(context, to.access_space[row], to.access_address[row * kLanes + i], i,
               to.access_size[row]);
    }
  }
  pending_.clear();
}

void TraceWriter::result(const Context& context, uint32_t number,
                         const uint64_t* values) {
  if (!has_room(TraceColumns::kResultBytes)) return;
  columns_->result_step.push_back(row_of_step(context));
  columns_->result_register.push_back(number);
  columns_->result_value.insert(columns_->result_value.end(), values, values + kLanes);
}

void TraceWriter::give(Outcome& outcome) {
  observed_of(outcome).trace = std::move(columns_);
}

}  // namespace minitorch::simt
