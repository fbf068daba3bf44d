// Owns the rules of races, cell by cell: which two accesses race, and which accesses
// must be remembered. Must not know what orders accesses, nor how races are reported.
#include "emulator/observers/races/race_detector.h"

namespace minitorch::emulator {
namespace {

bool covers_blocks(const MemoryForm& form) { return form.scope != ptx::Scope::Cta; }

/// One byte of what a lane stores.
uint8_t stored_byte(const Context& context, const RaceTouch& touch, uint32_t lane,
                    uint64_t byte) {
  const Step& step = *touch.step;
  const uint32_t rows[] = {step.b, step.c, step.d, step.d2};
  const uint32_t bytes = touch.form->bytes;
  const uint8_t* const row = context.registers + rows[byte / bytes];
  const uint64_t value = bytes == 8 ? reinterpret_cast<const uint64_t*>(row)[lane]
                                    : reinterpret_cast<const uint32_t*>(row)[lane];
  return static_cast<uint8_t>(value >> (8 * (byte % bytes)));
}

uint8_t memory_byte(const Context& context, bool shared, uint64_t address) {
  return shared ? context.shared[address] : *reinterpret_cast<const uint8_t*>(address);
}

}  // namespace

/// What another access is to this one.
class Relation {
 public:
  bool unordered = false;  // by another thread, and neither is before the other
  bool races = false;
};

struct RaceRules {
  static Relation relate(const RaceSeen& seen, Epoch other);
  static bool is_far(const RaceSeen& seen, Epoch a, Epoch b);
  static bool same_value(const RaceSeen& seen, Epoch other, uint64_t cell);
  static bool is_plain(const RaceSeen& seen, Epoch epoch);
  /// A plain access before this strong one, which does not take its place: it races
  /// with strong accesses of others, with which this one does not.
  static bool outlives(const RaceSeen& seen, Epoch other);
};

Relation RaceRules::relate(const RaceSeen& seen, Epoch other) {
  const Epoch epoch = other & ~kFar;
  if (epoch == 0 || seen.shadow.settled(epoch)) return {};
  if (seen.shadow.same_thread(epoch, seen.epoch())) return {};
  const RaceDetector& detector = detector_of(seen.context);
  const Block& block = *seen.context.block;
  const bool shared = seen.touch.shared;
  if (detector.is_before(block, epoch, shared, seen.context.warp->index, seen.lane)) {
    return {};
  }
  const MemoryForm& mine = *seen.touch.form;
  const MemoryForm& its = detector.place(block, epoch, shared).form();
  const bool one_block = detector.thread(block, epoch, shared).block == block.number;
  const bool strong = is_strong(mine) && is_strong(its) && mine.bytes == its.bytes &&
                      (one_block || (covers_blocks(mine) && covers_blocks(its)));
  return {true, !strong};
}

bool RaceRules::is_far(const RaceSeen& seen, Epoch a, Epoch b) {
  const RaceDetector& detector = detector_of(seen.context);
  const bool shared = seen.touch.shared;
  const RaceThread x = detector.thread(*seen.context.block, a, shared);
  const RaceThread y = detector.thread(*seen.context.block, b, shared);
  return shared ? x.warp != y.warp : x.block != y.block;
}

bool RaceRules::is_plain(const RaceSeen& seen, Epoch epoch) {
  const RaceDetector& detector = detector_of(seen.context);
  return !is_strong(
      detector.place(*seen.context.block, epoch, seen.touch.shared).form());
}

bool RaceRules::outlives(const RaceSeen& seen, Epoch other) {
  const Epoch epoch = other & ~kFar;
  return is_strong(*seen.touch.form) && !seen.shadow.settled(epoch) &&
         is_plain(seen, epoch);
}

/// Whether a plain store puts into the cell what the other plain store has put there:
/// before, or in this same instruction.
bool RaceRules::same_value(const RaceSeen& seen, Epoch other, uint64_t cell) {
  const Context& context = seen.context;
  const RaceTouch& touch = seen.touch;
  if (seen.touch.form->opaque) return false;
  if (!is_plain(seen, seen.epoch()) || !is_plain(seen, other)) return false;
  const uint64_t at = seen.address_of(cell), size = touch.form->size();
  const uint32_t lane = other & kLaneBits;
  const bool same_instruction = (other & ~kLaneBits) == touch.first &&
                                (touch.executing >> lane & 1) != 0 &&
                                at - touch.address[lane] < size;
  for (uint64_t i = 0; i < uint64_t{1} << seen.shadow.cell_shift; ++i) {
    const uint8_t mine =
        stored_byte(context, touch, seen.lane, at + i - seen.address());
    const uint8_t its = same_instruction ? stored_byte(context, touch, lane,
                                                       at + i - touch.address[lane])
                                         : memory_byte(context, touch.shared, at + i);
    if (mine != its) return false;
  }
  return true;
}

void RaceDetector::keep_read(const RaceSeen& seen, uint64_t cell) {
  const Epoch mine = seen.epoch();
  Epoch &first = seen.shadow.read[cell], &second = seen.shadow.second[cell];
  const auto with_distance = [&](Epoch epoch) {
    return epoch | (RaceRules::is_far(seen, first, epoch) ? kFar : 0);
  };
  const auto is_over = [&](Epoch epoch) {
    return epoch == 0 || (!RaceRules::relate(seen, epoch).unordered &&
                          !RaceRules::outlives(seen, epoch));
  };
  if (is_over(first)) {
    first = mine;
    const Epoch other = second & ~kFar;
    if (other == 0) return;
    const bool keep = !seen.shadow.settled(other);
    if (!keep || !seen.shadow.careful) return;
    second = is_over(other) ? 0 : with_distance(other);
    return;
  }
  const Epoch other = second & ~kFar;
  const bool free = is_over(other);
  const bool plain = !is_strong(*seen.touch.form);
  const bool nearer = !free && !(second & kFar) &&
                      RaceRules::is_far(seen, first, mine) &&
                      (plain || !RaceRules::is_plain(seen, other));
  if (free || nearer || (plain && !RaceRules::is_plain(seen, other))) {
    second = with_distance(mine);
  } else if (plain && !RaceRules::is_plain(seen, first)) {
    first = mine;
    second = with_distance(other);
  }
}

void RaceDetector::check_read(const RaceSeen& seen, uint64_t cell) {
  meet_copy(seen, cell);
  const Epoch write = seen.shadow.write[cell];
  if (write && RaceRules::relate(seen, write).races) report(seen, cell, write, false);
  if (seen.shadow.has_write2) {
    const Epoch before = seen.shadow.write2[cell];
    if (before && RaceRules::relate(seen, before).races) {
      report(seen, cell, before, false);
    }
  }
  keep_read(seen, cell);
}

void RaceDetector::check_write(const RaceSeen& seen, uint64_t cell) {
  meet_copy(seen, cell);
  RaceShadow& shadow = seen.shadow;
  bool reads_over = true;
  for (const Epoch read : {shadow.read[cell], shadow.second[cell]}) {
    if (read == 0) continue;
    const Relation relation = RaceRules::relate(seen, read);
    if (relation.races) report(seen, cell, read & ~kFar, false);
    reads_over &= !relation.unordered && !RaceRules::outlives(seen, read);
  }
  if (reads_over) {
    if (shadow.read[cell]) shadow.read[cell] = 0;
    if (shadow.second[cell]) shadow.second[cell] = 0;
  }
  Epoch older = shadow.has_write2 ? shadow.write2[cell] : 0;
  if (older) {
    const Relation relation = RaceRules::relate(seen, older);
    if (relation.races) {
      report(seen, cell, older, RaceRules::same_value(seen, older, cell));
    }
    const bool over = !relation.unordered && !RaceRules::outlives(seen, older);
    if (over) older = shadow.write2[cell] = 0;
  }
  const Epoch last = shadow.write[cell];
  shadow.write[cell] = seen.epoch();
  if (last == 0) return;
  const Relation relation = RaceRules::relate(seen, last);
  const bool benign = relation.races && RaceRules::same_value(seen, last, cell);
  if (relation.races) report(seen, cell, last, benign);
  const bool outlives = RaceRules::outlives(seen, last);
  if ((!relation.unordered && !outlives) || (relation.races && !benign)) return;
  // Both writes count for who comes later; of three, a plain one before two that are
  // far from each other.
  const bool older_outlives = older != 0 && RaceRules::outlives(seen, older);
  if (older == 0 || (outlives && !older_outlives) ||
      (outlives == older_outlives && RaceRules::is_far(seen, seen.epoch(), last))) {
    shadow.write2[cell] = last;
    shadow.has_write2 = shadow.slow = true;
  }
}

void RaceDetector::look(Context& context, const RaceTouch& touch) {
  if (races_of(*context.block).gave_up) return;
  RaceShadow& shadow = touch.shared ? races_of(*context.block).shared : global;
  const uint32_t size = touch.form->size();
  for (uint32_t left = touch.lanes; left; left &= left - 1) {
    const RaceSeen seen = {context, touch, shadow, first_lane(left)};
    if (!shadow.covers(seen.address(), size)) continue;
    const uint64_t begin = shadow.cell_of(seen.address());
    if (shadow.unwritten && touch.form->kind != MemoryForm::Kind::Store) {
      note_unwritten(seen);
    }
    for (uint64_t i = 0; i < size >> shadow.cell_shift; ++i) {
      if (touch.form->kind == MemoryForm::Kind::Load) {
        check_read(seen, begin + i);
      } else {
        check_write(seen, begin + i);
      }
    }
    if (shadow.careful && is_strong(*touch.form)) synchronise(seen);
  }
}

}  // namespace minitorch::emulator
