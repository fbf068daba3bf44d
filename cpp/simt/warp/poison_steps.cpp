// The computation of shadows, lane by lane.
#include "simt/program/poison_steps.h"

#include <cstring>

#include "simt/warp/context.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

/// A row read as 64-bit lanes, whatever its width; a predicate as all ones or zero.
struct Bits {
  uint64_t lane[kLanes];
};

uint32_t mask_at(const LaneState& state, uint32_t row) {
  uint32_t mask = 0;
  std::memcpy(&mask, state.registers + row, sizeof mask);
  return mask;
}

bool read_row(const LaneState& state, uint32_t row, uint8_t width, Bits& to) {
  if (width == kNotThere) return false;
  if (width == 8) {
    std::memcpy(to.lane, state.registers + row, sizeof to.lane);
    return true;
  }
  if (width == 0) {
    const uint32_t mask = mask_at(state, row);
    for (uint32_t i = 0; i < kLanes; ++i) to.lane[i] = 0 - uint64_t{mask >> i & 1};
    return true;
  }
  const auto* from = reinterpret_cast<const uint32_t*>(state.registers + row);
  for (uint32_t i = 0; i < kLanes; ++i) to.lane[i] = from[i];
  return true;
}

void write_row(LaneState& state, uint32_t row, uint8_t width, const Bits& from) {
  if (width == 0) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < kLanes; ++i) mask |= from.lane[i] ? 1u << i : 0;
    const uint32_t merged = (mask_at(state, row) & ~state.mask) | (mask & state.mask);
    std::memcpy(state.registers + row, &merged, sizeof merged);
    return;
  }
  for (uint32_t left = state.mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    if (width == 8) {
      reinterpret_cast<uint64_t*>(state.registers + row)[i] = from.lane[i];
    } else {
      reinterpret_cast<uint32_t*>(state.registers + row)[i] =
          static_cast<uint32_t>(from.lane[i]);
    }
  }
}

bool is_clear(const LaneState& state, uint32_t row, uint8_t width) {
  if (width == kNotThere) return true;
  if (width == 0) return mask_at(state, row) == 0;
  const auto* words = reinterpret_cast<const uint64_t*>(state.registers + row);
  uint64_t any = 0;
  for (uint32_t i = 0; i < width * kLanes / 8; ++i) any |= words[i];
  return any == 0;
}

/// Most steps: nothing is poisoned, so nothing becomes so.
bool all_clear(const LaneState& state, const Step* step, const PoisonForm& form) {
  return is_clear(state, step->a, form.width[0]) &&
         is_clear(state, step->b, form.width[1]) &&
         is_clear(state, step->c, form.width[2]) &&
         is_clear(state, step->e, form.width[3]);
}

void clear_row(LaneState& state, uint32_t row, uint8_t width) {
  if (state.mask == kFullMask) {
    std::memset(state.registers + row, 0, width ? width * kLanes : sizeof(uint32_t));
  } else {
    write_row(state, row, width, Bits{});
  }
}

uint64_t united(const LaneState& state, const Step* step, const PoisonForm& form,
                Bits& to) {
  const uint32_t rows[] = {step->a, step->b, step->c, step->e};
  uint64_t any = 0;
  to = {};
  for (uint32_t k = 0; k < 4; ++k) {
    Bits part;
    if (!read_row(state, rows[k], form.width[k], part)) continue;
    for (uint32_t i = 0; i < kLanes; ++i) {
      to.lane[i] |= part.lane[i];
      any |= part.lane[i];
    }
  }
  return any;
}

template <PoisonStep kStep>
const Step* unite(LaneState& state, const Step* step) {
  const PoisonForm form = PoisonForm::of(step->immediate);
  if (all_clear(state, step, form)) {
    clear_row(state, step->d, form.to);
    return step + 1;
  }
  Bits bits;
  united(state, step, form, bits);
  for (uint64_t& lane : bits.lane) {
    if (kStep == PoisonStep::Any) lane = lane ? ~uint64_t{0} : 0;
    if (kStep == PoisonStep::Upward) lane |= 0 - lane;
  }
  write_row(state, step->d, form.to, bits);
  return step + 1;
}

template <bool kAnd>
const Step* combine(LaneState& state, const Step* step) {
  const PoisonForm form = PoisonForm::of(step->immediate);
  if (is_clear(state, step->a, form.to) && is_clear(state, step->b, form.to)) {
    clear_row(state, step->d, form.to);
    return step + 1;
  }
  Bits a, b, x, y;
  read_row(state, step->a, form.to, a);
  read_row(state, step->b, form.to, b);
  read_row(state, step->c, form.to, x);
  read_row(state, step->e, form.to, y);
  for (uint32_t i = 0; i < kLanes; ++i) {
    // A defined 0 decides an and, a defined 1 an or.
    const uint64_t left = form.negated & 1 ? ~x.lane[i] : x.lane[i];
    const uint64_t right = form.negated & 2 ? ~y.lane[i] : y.lane[i];
    const uint64_t p = a.lane[i], q = b.lane[i];
    a.lane[i] = (p & q) | (p & (kAnd ? right : ~right)) | (q & (kAnd ? left : ~left));
  }
  write_row(state, step->d, form.to, a);
  return step + 1;
}

const Step* select(LaneState& state, const Step* step) {
  const PoisonForm form = PoisonForm::of(step->immediate);
  Bits a, b;
  read_row(state, step->a, form.to, a);
  read_row(state, step->b, form.to, b);
  const uint32_t value = mask_at(state, step->c);
  const uint32_t first = form.negated & 1 ? ~value : value;
  const uint32_t unknown = form.width[3] == kNotThere ? 0 : mask_at(state, step->e);
  for (uint32_t i = 0; i < kLanes; ++i) {
    if (!(first >> i & 1)) a.lane[i] = b.lane[i];
    if (unknown >> i & 1) a.lane[i] = ~uint64_t{0};
  }
  write_row(state, step->d, form.to, a);
  return step + 1;
}

const Step* pass(LaneState&, const Step* step) { return step + 1; }

const Step* use(LaneState& state, const Step* step) {
  const PoisonForm form = PoisonForm::of(step->immediate);
  if (all_clear(state, step, form)) return step + 1;
  report_poison(context(state), step);
  return step + 1;
}

const Step* forget(LaneState& state, const Step* step) {
  forget_stored(context(state), step);
  return step + 1;
}

const Step* divided(LaneState& state, const Step* step) {
  if (state.division_by_zero) follow_division(context(state), step);
  return step + 1;
}

template <Handler kStep>
const Step* if_divided(LaneState& state, const Step* step) {
  return context(state).frame->divided ? kStep(state, step) : step + 1;
}

template <Handler kStep>
HandlerPair pick(bool divided) {
  const Handler handler = divided ? &if_divided<kStep> : kStep;
  return {handler, handler};
}

}  // namespace

HandlerPair find_poison_step(PoisonStep step, bool if_divided) {
  switch (step) {
    case PoisonStep::Any:
      return pick<&unite<PoisonStep::Any>>(if_divided);
    case PoisonStep::Upward:
      return pick<&unite<PoisonStep::Upward>>(if_divided);
    case PoisonStep::Merge:
      return pick<&unite<PoisonStep::Merge>>(if_divided);
    case PoisonStep::And:
      return pick<&combine<true>>(if_divided);
    case PoisonStep::Or:
      return pick<&combine<false>>(if_divided);
    case PoisonStep::Select:
      return pick<&select>(if_divided);
    case PoisonStep::Pass:
      return pick<&pass>(false);
    case PoisonStep::Divided:
      return pick<&divided>(false);
    case PoisonStep::Use:
      return pick<&use>(if_divided);
    case PoisonStep::Forget:
      return pick<&forget>(if_divided);
  }
  return {};
}

}  // namespace minitorch::simt
