// What is learnt from the first block of a straight kernel: how far others may be from
// it, and whether any of them can race.
#include <algorithm>
#include <limits>

#include "simt/lanes/isa.h"
#include "simt/program/engine.h"
#include "simt/run/replay.h"
#include "simt/warp/context.h"

namespace minitorch::simt {
namespace {

int64_t read(const uint8_t* registers, const RowNumber& number, uint32_t lane) {
  const uint8_t* const at = registers + number.row;
  if (number.bytes == 8) return reinterpret_cast<const int64_t*>(at)[lane];
  const uint32_t value = reinterpret_cast<const uint32_t*>(at)[lane];
  return number.is_signed ? static_cast<int32_t>(value) : int64_t{value};
}

/// The same modulo 2^32, or 2^64, as a signed number.
int64_t reduce(uint64_t value, uint8_t bytes) {
  return bytes == 8 ? static_cast<int64_t>(value)
                    : static_cast<int32_t>(static_cast<uint32_t>(value));
}

/// Of the entry's accesses.
const AllocationHit* first_hits(const Context& context) {
  return context.all_hits + context.program->access_base[context.program->entry];
}

}  // namespace

Replay::Replay(const LaunchState& launch, const Observers& observers)
    : launch_(launch), observers_(observers) {
  const bool whole_warps = launch.threads % kLanes == 0;
  if (whole_warps && launch.blocks > 1) plan_ = launch.entry().replay.get();
}

void Replay::learn(const Context& context, std::unique_ptr<Resident>& resident) {
  const Block& block = resident->block();
  x_ = block.x;
  y_ = block.y;
  z_ = block.z;
  resident_ = std::move(resident);
  find_coefficients();
  limit_numbers();
  number_limits_ = limits_.size();
  limit_guards();
  const bool ready = block.exited == block.threads && limit_accesses(context) &&
                     covers(block.number) && ask();
  if (!ready) {
    plan_ = nullptr;
    resident = std::move(resident_);
    return;
  }
  choose_steps(context);
  executed_ = block.executed;
}

bool Replay::ask() {
  for (Observer* const each : observers_.all()) {
    const ReplayPolicy policy = each->learn(*this);
    if (policy == ReplayPolicy::Never) return false;
    if (policy == ReplayPolicy::Told) told_.push_back(each);
  }
  return true;
}

/// What has been checked for all covered blocks need not be checked by the access.
void Replay::choose_steps(const Context& context) {
  steps_ = plan_->steps;
  size_t accesses = 0;
  for (Step& step : steps_) {
    if (step.pattern == 0) continue;
    const ReplayPlan::Access& access = plan_->accesses[accesses++];
    const AllocationHit& hit = first_hits(context)[access.number];
    if (access.store && !context.memory->is_written(hit.low, hit.high - hit.low)) {
      continue;
    }
    const MemoryForm& form = launch_.entry().accesses[access.number];
    const bool contiguous = is_contiguous(access.pattern, access.size);
    step.run[0] = find_engine(active_isa()).unchecked(form, contiguous).full;
  }
}

bool Replay::is_contiguous(uint32_t pattern, uint32_t size) const {
  const auto& warps = resident_->block().warps;
  return std::all_of(warps.begin(), warps.end(), [&](const Warp& warp) {
    const Pattern& lanes = warp.entry.patterns[pattern];
    return lanes.strided && lanes.stride == size &&
           lanes.base[1] - lanes.base[0] == kLanes / 2 * uint64_t{size};
  });
}

int64_t Replay::factor(const RowNumber& number) const {
  return read(resident_->block().warps[0].entry.registers, number, 0);
}

void Replay::find_coefficients() {
  for (size_t i = 0; i < plan_->linears.size(); ++i) {
    const ReplayPlan::Linear& linear = plan_->linears[i];
    Coefficients sum{};
    if (i < 3) sum[i] = 1;
    for (const ReplayPlan::Term& term : linear.terms) {
      uint64_t times = 1;
      if (term.scaled) {
        times = static_cast<uint64_t>(factor(term.factor));
        if (term.power) {
          times = times < 8u * linear.value.bytes ? uint64_t{1} << times : 0;
        }
      }
      if (term.negative) times = 0 - times;
      for (size_t k = 0; k < 3; ++k) {
        sum[k] = reduce(static_cast<uint64_t>(sum[k]) +
                            static_cast<uint64_t>(of(term.linear)[k]) * times,
                        linear.value.bytes);
      }
    }
    coefficients_.push_back(sum);
  }
}

Replay::Coefficients Replay::of(uint32_t linear) const {
  return linear == ReplayPlan::kFixed ? Coefficients{} : coefficients_[linear];
}

Replay::Interval Replay::values(const RowNumber& number) const {
  const bool is_unsigned = number.bytes == 8 && !number.is_signed;
  Interval all = {std::numeric_limits<int64_t>::max(),
                  std::numeric_limits<int64_t>::min()};
  for (const Warp& warp : resident_->block().warps) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const int64_t bits = read(warp.entry.registers, number, lane);
      const Wide value = is_unsigned ? Wide{static_cast<uint64_t>(bits)} : Wide{bits};
      all.low = std::min(all.low, value);
      all.high = std::max(all.high, value);
    }
  }
  return all;
}

Replay::Slopes Replay::minus(const Coefficients& a, const Coefficients& b) {
  return {Wide{a[0]} - b[0], Wide{a[1]} - b[1], Wide{a[2]} - b[2]};
}

void Replay::limit_numbers() {
  for (const ReplayPlan::Side& side : plan_->unwrapped) {
    const RowNumber& number = side.value;
    const Wide range = Wide{1} << (8 * number.bytes);
    const Wide least = number.is_signed ? -range / 2 : 0;
    const Interval now = values(number);
    const Coefficients by = of(side.linear);
    limits_.push_back({minus(by, {}), least + range - 1 - now.high});
    limits_.push_back({minus({}, by), now.low - least});
  }
}

void Replay::limit_guards() {
  for (const ReplayPlan::Guard& guard : plan_->guards) {
    const Interval left = values(guard.left.value), right = values(guard.right.value);
    const Coefficients a = of(guard.left.linear), b = of(guard.right.linear);
    Slopes apart = minus(a, b);
    Wide gap = right.low - left.high;
    if (guard.relation == ReplayPlan::Relation::Different && gap < 0) {
      gap = left.low - right.high;
      apart = minus(b, a);
    }
    const bool equal = guard.relation == ReplayPlan::Relation::LessEqual;
    limits_.push_back({apart, equal ? gap : gap - 1});
  }
}

/// False where an address pattern needs its lanes one by one.
bool Replay::limit_accesses(const Context& context) {
  const auto& warps = resident_->block().warps;
  const AllocationHit* const hits = first_hits(context);
  for (const ReplayPlan::Access& access : plan_->accesses) {
    const AllocationHit& hit = hits[access.number];
    Touched touched = {
        &access, of(access.linear), {Wide{1} << 100, 0}, access.store || hit.written};
    for (const Warp& warp : warps) {
      const Pattern& pattern = warp.entry.patterns[access.pattern];
      const bool same = pattern.stride == 0 && !access.store;
      if (!pattern.valid || !pattern.strided ||
          (!same && pattern.stride != access.size)) {
        return false;
      }
      for (uint64_t base : pattern.base) {
        const Wide low = base + static_cast<uint64_t>(access.offset);
        const Wide high = low + 15 * Wide{pattern.stride} + access.size;
        touched.bytes.low = std::min(touched.bytes.low, low);
        touched.bytes.high = std::max(touched.bytes.high, high);
      }
    }
    if (touched.bytes.low < hit.low || touched.bytes.high > hit.high) return false;
    const auto& by = touched.coefficients;
    if (by[0] % access.size != 0 || by[1] % access.size != 0 ||
        by[2] % access.size != 0) {
      return false;
    }
    limits_.push_back({minus(by, {}), hit.high - touched.bytes.high});
    limits_.push_back({minus({}, by), touched.bytes.low - hit.low});
    touched_.push_back(touched);
    const bool known =
        std::any_of(moving_.begin(), moving_.end(),
                    [&](const Moving& m) { return m.pattern == access.pattern; });
    if (!known) moving_.push_back({access.pattern, by, 0});
  }
  for (const Warp& warp : warps) {
    for (const Moving& moving : moving_) {
      const Pattern& pattern = warp.entry.patterns[moving.pattern];
      bases_.push_back({pattern.base[0], pattern.base[1]});
    }
  }
  return true;
}

}  // namespace minitorch::simt
