#include "simt/run/replay.h"

#include "simt/warp/context.h"
#include "simt/warp/fill.h"

namespace minitorch::simt {

bool Replay::covers(uint64_t number) {
  if (!resident_) return false;
  const base::Dim3 grid = launch_.launch->grid;
  const auto x = static_cast<int64_t>(number % grid.x);
  const auto y = static_cast<uint32_t>(number / grid.x % grid.y);
  const auto z = static_cast<uint32_t>(number / grid.x / grid.y);
  if (y != span_y_ || z != span_z_ || span_low_ > span_high_) find_span(y, z);
  return x >= span_low_ && x <= span_high_;
}

void Replay::find_span(uint32_t y, uint32_t z) {
  span_y_ = y;
  span_z_ = z;
  Wide low = -x_, high = Wide{launch_.launch->grid.x} - 1 - x_;
  for (const Limit& limit : limits_) {
    const Wide step = limit.slopes[0];
    const Wide left =
        limit.margin - limit.slopes[1] * (y - y_) - limit.slopes[2] * (z - z_);
    if (step == 0) {
      if (left < 0) high = low - 1;
      continue;
    }
    // Rounded towards the inside: at most one covered block a limit is left out.
    if (step > 0) high = std::min(high, left >= 0 ? left / step : left / step - 1);
    if (step < 0) low = std::max(low, left >= 0 ? left / step : left / step + 1);
  }
  span_low_ = static_cast<int64_t>(low) + x_;
  span_high_ = static_cast<int64_t>(high) + x_;
}

void Replay::move(Frame& frame, const std::array<uint64_t, 2>* base) const {
  for (const Moving& moving : moving_) {
    Pattern& pattern = frame.patterns[moving.pattern];
    pattern.base[0] = (*base)[0] + moving.distance;
    pattern.base[1] = (*base)[1] + moving.distance;
    ++base;
  }
}

uint64_t Replay::distance(const Coefficients& by) const {
  const Block& block = resident_->block();
  const auto x = static_cast<uint64_t>(block.x - x_);
  const auto y = static_cast<uint64_t>(block.y - y_);
  const auto z = static_cast<uint64_t>(block.z - z_);
  return static_cast<uint64_t>(by[0]) * x + static_cast<uint64_t>(by[1]) * y +
         static_cast<uint64_t>(by[2]) * z;
}

uint64_t Replay::run(Context& context, uint64_t number) {
  Block& block = resident_->block();
  resident_->place(number);
  for (Moving& moving : moving_) moving.distance = distance(moving.coefficients);
  for (Observer* const each : told_) each->replay_block(*this);
  context.block = &block;
  context.frame =
      nullptr;  // that of the first block may be one of ours: still its rows
  const Step* const begin = steps_.data();
  const Step* const end = begin + steps_.size();
  const std::array<uint64_t, 2>* base = bases_.data();
  for (Warp& warp : block.warps) {
    Frame& frame = (plan_->needs_warp ? warp : block.warps[0]).entry;
    if (context.frame != &frame) {
      context.warp = &warp;
      resume(context, {begin, kFullMask, 0, nullptr, &frame});
      if (plan_->needs_block) fill_block_rows(*frame.code, frame.registers, block);
    }
    move(frame, base);
    base += moving_.size();
    for (const Step* step = begin; step != end;) step = step->run[0](context, step);
  }
  context.frame = nullptr;
  ++blocks_;
  return executed_;
}

void Replay::end() const {
  for (Observer* const each : observers_.all()) each->end_replays(blocks_);
}

}  // namespace minitorch::simt
