#include "simt/run/resident.h"

#include <algorithm>
#include <cstring>

#include "simt/warp/fill.h"

namespace minitorch::simt {
namespace {

size_t warp_bytes(const FunctionCode& code) {
  const size_t bytes = code.frame_bytes + code.pattern_count * sizeof(Pattern);
  return (bytes + 63) / 64 * 64;
}

size_t shared_room(const LaunchState& launch) {
  return (size_t{launch.shared_bytes} + 127) / 64 * 64;
}

}  // namespace

Resident::Resident(const LaunchState& launch, const Observers& observers)
    : launch_(launch),
      observers_(observers),
      storage_(shared_room(launch) + launch.warps * warp_bytes(launch.entry())) {
  const FunctionCode& code = launch.entry();
  block_.shared = storage_.data();
  block_.threads = launch.threads;
  observers.attach(block_);
  block_.warps.resize(launch.warps);
  uint8_t* at = storage_.data() + shared_room(launch);
  for (uint32_t i = 0; i < launch.warps; ++i, at += warp_bytes(code)) {
    Warp& warp = block_.warps[i];
    const uint32_t threads = std::min(launch.threads - i * kLanes, kLanes);
    warp.index = i;
    warp.lanes = threads == kLanes ? kFullMask : (1u << threads) - 1;
    warp.entry.code = &code;
    warp.entry.registers = at;
    warp.entry.patterns = reinterpret_cast<Pattern*>(at + code.frame_bytes);
    warp.local.resize(size_t{code.local_bytes} / 4 * kLanes);
    if (code.tracks_local) warp.local_poison.resize(code.local_bytes);
    fill_launch_rows(launch, code, at);
    fill_warp_rows(launch, code, at, i);
    fill_frame_rows(code, at, 0);
  }
}

Resident::~Resident() = default;

uint64_t Resident::bytes(const LaunchState& launch) {
  const FunctionCode& code = launch.entry();
  const uint64_t local = uint64_t{code.local_bytes} * (kLanes + 4);  // shadows included
  return shared_room(launch) + launch.warps * (warp_bytes(code) + local);
}

void Resident::start_warp(Warp& warp) {
  const FunctionCode& code = *warp.entry.code;
  warp.exited = 0;
  if (warp.copies) warp.copies->clear();
  warp.forget_states();
  warp.ready_head = warp.ready_count = warp.parked_count = 0;
  for (uint32_t i = 0; i < code.pattern_count; ++i) warp.entry.patterns[i].valid = 0;
  fill_block_rows(code, warp.entry.registers, block_);
  clear_undefined_rows(code, warp.entry.registers);
  if (code.local_bytes) std::fill(warp.local.begin(), warp.local.end(), 0u);
  std::fill(warp.local_poison.begin(), warp.local_poison.end(), kFullMask);
  warp.unwritten = warp.lost = {};
  warp.divisions.clear();
  warp.entry.divided = false;
  warp.unwaited = nullptr;
  warp.push_ready({code.steps.data(), warp.lanes, 0, nullptr, &warp.entry});
}

void Resident::place(uint64_t number) {
  const base::Dim3 grid = launch_.launch->grid;
  block_.number = number;
  block_.x = static_cast<uint32_t>(number % grid.x);
  block_.y = static_cast<uint32_t>(number / grid.x % grid.y);
  block_.z = static_cast<uint32_t>(number / grid.x / grid.y);
  const auto* profile = launch_.launch->profile;
  const uint64_t sms = profile ? static_cast<uint64_t>(profile->sm_count) : 1;
  block_.sm = static_cast<uint32_t>(number % sms);
}

void Resident::start(uint64_t number) {
  place(number);
  block_.exited = block_.waiting = 0;
  block_.executed = 0;
  block_.hot_branches.clear();
  block_.left_early = nullptr;
  block_.time = {};
  block_.mbarriers.reset();
  block_.barriers.fill(BarrierState{});
  if (launch_.shared_bytes) std::memset(block_.shared, 0, launch_.shared_bytes);
  observers_.start_block(block_);
  for (Warp& warp : block_.warps) start_warp(warp);
}

}  // namespace minitorch::simt
