#include "simt/warp/fill.h"

#include <algorithm>
#include <cstring>

#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

using ptx::Special;

void fill_row(uint8_t* registers, const RowFill& fill, uint64_t value) {
  uint8_t* const at = registers + fill.row;
  if (fill.lane_bytes == 8) {
    std::fill_n(reinterpret_cast<uint64_t*>(at), kLanes, value);
  } else if (fill.lane_bytes == 4) {
    std::fill_n(reinterpret_cast<uint32_t*>(at), kLanes, static_cast<uint32_t>(value));
  } else {
    const uint32_t mask = value ? kFullMask : 0;
    std::memcpy(at, &mask, sizeof mask);
  }
}

template <class Value>
void fill_lanes(uint8_t* registers, const RowFill& fill, Value value) {
  uint8_t* const at = registers + fill.row;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (fill.lane_bytes == 8) {
      reinterpret_cast<uint64_t*>(at)[i] = value(i);
    } else {
      reinterpret_cast<uint32_t*>(at)[i] = static_cast<uint32_t>(value(i));
    }
  }
}

uint64_t parameter_value(const Launch& launch, const RowFill& fill) {
  uint64_t value = 0;
  const uint64_t have = launch.parameters.size();
  if (fill.value + fill.size <= have) {
    std::memcpy(&value, launch.parameters.data() + fill.value, fill.size);
  }
  return value;
}

uint64_t launch_special(const LaunchState& state, Special special) {
  const Launch& launch = *state.launch;
  switch (special) {
    case Special::NtidX:
      return launch.block.x;
    case Special::NtidY:
      return launch.block.y;
    case Special::NtidZ:
      return launch.block.z;
    case Special::NctaidX:
      return launch.grid.x;
    case Special::NctaidY:
      return launch.grid.y;
    case Special::NctaidZ:
      return launch.grid.z;
    case Special::NwarpId:
      return launch.profile ? static_cast<uint64_t>(launch.profile->max_warps_per_sm)
                            : kMaxWarps;
    case Special::NsmId:
      return launch.profile ? static_cast<uint64_t>(launch.profile->sm_count) : 1;
    case Special::GridId:
      return launch.tag;
    case Special::DynamicSmemSize:
      return launch.dynamic_shared;
    case Special::TotalSmemSize:
      return state.shared_bytes;
    case Special::EnvReg1:
      return launch.grid_workspace >> 32;
    case Special::EnvReg2:
      return launch.grid_workspace & 0xffffffff;
    default:
      return 0;
  }
}

uint32_t lane_mask(Special special, uint32_t lane) {
  const uint32_t bit = 1u << lane;
  switch (special) {
    case Special::LaneMaskEq:
      return bit;
    case Special::LaneMaskLt:
      return bit - 1;
    case Special::LaneMaskLe:
      return bit | (bit - 1);
    case Special::LaneMaskGt:
      return ~(bit | (bit - 1));
    default:
      return ~(bit - 1);  // ge
  }
}

}  // namespace

void fill_launch_rows(const LaunchState& state, const FunctionCode& code,
                      uint8_t* registers) {
  for (const RowFill& fill : code.launch_rows) {
    switch (fill.kind) {
      case RowFill::Kind::Special:
        fill_row(registers, fill, launch_special(state, fill.special));
        break;
      case RowFill::Kind::Parameter:
        fill_row(registers, fill, parameter_value(*state.launch, fill));
        break;
      case RowFill::Kind::DynamicShared:
        fill_row(registers, fill, kSharedBase + state.dynamic_start + fill.value);
        break;
      default:
        fill_row(registers, fill, fill.value);
    }
  }
}

void fill_warp_rows(const LaunchState& state, const FunctionCode& code,
                    uint8_t* registers, uint32_t warp) {
  const base::Dim3 block = state.launch->block;
  for (const RowFill& fill : code.warp_rows) {
    const auto thread = [&](uint32_t lane) { return warp * kLanes + lane; };
    switch (fill.special) {
      case Special::TidX:
        fill_lanes(registers, fill, [&](uint32_t i) { return thread(i) % block.x; });
        break;
      case Special::TidY:
        fill_lanes(registers, fill,
                   [&](uint32_t i) { return thread(i) / block.x % block.y; });
        break;
      case Special::TidZ:
        fill_lanes(registers, fill,
                   [&](uint32_t i) { return thread(i) / block.x / block.y; });
        break;
      case Special::LaneId:
        fill_lanes(registers, fill, [](uint32_t i) { return i; });
        break;
      case Special::WarpId:
        fill_row(registers, fill, warp);
        break;
      default:
        fill_lanes(registers, fill,
                   [&](uint32_t i) { return lane_mask(fill.special, i); });
    }
  }
}

void fill_block_rows(const FunctionCode& code, uint8_t* registers, const Block& block) {
  for (const RowFill& fill : code.block_rows) {
    switch (fill.special) {
      case Special::CtaidX:
        fill_row(registers, fill, block.x);
        break;
      case Special::CtaidY:
        fill_row(registers, fill, block.y);
        break;
      case Special::CtaidZ:
        fill_row(registers, fill, block.z);
        break;
      default:
        fill_row(registers, fill, block.sm);
    }
  }
}

void fill_frame_rows(const FunctionCode& code, uint8_t* registers,
                     uint32_t local_base) {
  for (const RowFill& fill : code.frame_rows) {
    fill_row(registers, fill, kLocalBase + local_base + fill.value);
  }
}

void clear_undefined_rows(const FunctionCode& code, uint8_t* registers) {
  for (const Slot& slot : code.undefined_rows) {
    std::memset(registers + slot.row, 0, slot.size);
  }
  for (const Slot& slot : code.poisoned_rows) {
    std::memset(registers + slot.row, 0xff, slot.size);
  }
}

}  // namespace minitorch::simt
