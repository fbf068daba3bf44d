#include "simt/warp/device_call.h"

#include <cstring>

#include "simt/warp/bounds.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

constexpr size_t kLongestString = 4096;

uint32_t* words(const Context& context, const Slot& buffer, uint32_t offset) {
  return reinterpret_cast<uint32_t*>(context.registers + buffer.row) +
         offset / 4 * kLanes;
}

}  // namespace

bool is_device_function(std::string_view name) {
  return name == "vprintf" || name == "malloc" || name == "free" ||
         name == "__assertfail";
}

uint64_t argument(const Context& context, uint32_t lane, uint32_t offset) {
  const Slot& buffer = context.frame->code->arguments;
  if (offset + 8 > buffer.size) return 0;
  const uint32_t* low = words(context, buffer, offset);
  return low[lane] | uint64_t{low[kLanes + lane]} << 32;
}

void set_result(Context& context, uint32_t lane, uint64_t value) {
  const Slot& buffer = context.frame->code->call_results;
  if (buffer.size < 4) return;
  uint32_t* low = words(context, buffer, 0);
  low[lane] = static_cast<uint32_t>(value);
  if (buffer.size >= 8) low[kLanes + lane] = static_cast<uint32_t>(value >> 32);
}

bool read_bytes(const Context& context, uint32_t lane, uint64_t address, void* to,
                uint32_t size) {
  auto* bytes = static_cast<uint8_t*>(to);
  const uint64_t window = address >> 56;
  if (window == kLocalWindow >> 56) {
    const uint64_t at = address - kLocalWindow - kLocalBase;
    if (at > context.local_bytes || size > context.local_bytes - at) return false;
    for (uint64_t i = at; i < at + size; ++i) {
      const uint32_t word = context.local[i / 4 * kLanes + lane];
      *bytes++ = static_cast<uint8_t>(word >> (8 * (i % 4)));
    }
    return true;
  }
  if (window == kSharedWindow >> 56) {
    const uint64_t at = address - kSharedWindow - kSharedBase;
    if (at > context.shared_bytes || size > context.shared_bytes - at) return false;
    std::memcpy(bytes, context.shared + at, size);
    return true;
  }
  Allocation room;
  const Allocation* allocation = find_allocation(context, address, room);
  if (!allocation || !allocation->live || size > allocation->end() - address) {
    return false;
  }
  std::memcpy(bytes, reinterpret_cast<const void*>(address), size);
  return true;
}

std::string device_string(const Context& context, uint32_t lane, uint64_t address) {
  std::string text;
  char letter = 0;
  while (text.size() < kLongestString &&
         read_bytes(context, lane, address + text.size(), &letter, 1) && letter) {
    text += letter;
  }
  return text;
}

void forget_hits(Context& context) {
  std::fill_n(context.all_hits, context.program->access_count, AllocationHit{});
}

}  // namespace minitorch::simt
