#include "simt/observers/races/race_detector.h"

#include <algorithm>
#include <map>

#include "simt/run/replay.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
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

uint64_t offset_of(const AsyncCopy& copy, uint32_t lane) {
  return copy.address[lane] - kSharedBase;
}

/// The cells that one lane's copy fills.
template <class Visit>
void each_cell(const RaceShadow& shadow, const AsyncCopy& copy, uint32_t lane,
               Visit visit) {
  const uint64_t begin = shadow.cell_of(offset_of(copy, lane));
  for (uint64_t i = 0; i < copy.size >> shadow.cell_shift; ++i) visit(begin + i);
}

/// The copy in flight that fills offset `at`, with the lane that has started it.
const AsyncCopy* copy_to(const Block& block, uint64_t at, uint32_t& lane) {
  for (const Warp& warp : block.warps) {
    if (!warp.copies) continue;
    for (const AsyncCopy& copy : warp.copies->pending) {
      for (uint32_t left = copy.mask; left; left &= left - 1) {
        lane = first_lane(left);
        if (at - offset_of(copy, lane) < copy.size) return &copy;
      }
    }
  }
  return nullptr;
}

/// More loads of one interval are not told apart.
constexpr size_t kGreatestReads = size_t{1} << 20;

/// What has not been written after so many barriers will hardly ever be.
constexpr uint32_t kGreatestScans = 4;

/// That both store the same value is not said of lines that also store different values
/// into the same variable.
void drop_benign(MergedNotes& notes) {
  std::erase_if(notes.all, [&](const auto& note) {
    Findings::Key key = note.first;
    if (key.kind != MtFinding_RaceBenign) return false;
    bool races = false;
    for (const MtFindingKind kind : {MtFinding_RaceShared, MtFinding_RaceGlobal}) {
      key.kind = kind;
      races |= notes.all.contains(key);
    }
    return races;
  });
}

}  // namespace

const ObserverRow kRacesRow = {
    kRaceChecks, true,
    [](const LaunchState& launch) -> std::unique_ptr<Observer> {
      return std::make_unique<RaceDetector>(launch);
    },
    &drop_benign};

RaceDetector::RaceDetector(const LaunchState& launch)
    : launch_(launch), history_(launch), order_(history_) {
  find_shared_variables();
}

void RaceDetector::find_shared_variables() {
  const ptx::Module& module = *launch_.program->module;
  for (const FunctionCode& code : launch_.program->functions) {
    if (code.function == nullptr) continue;
    for (uint32_t index : code.function->own_variables) {
      const ptx::Variable& variable = module.variables[index];
      if (variable.space != ptx::Space::Shared || variable.external) continue;
      shared_starts_.push_back(variable.offset);
    }
  }
  shared_starts_.push_back(launch_.dynamic_start);
  std::sort(shared_starts_.begin(), shared_starts_.end());
}

std::unique_ptr<ObservedBlock> RaceDetector::make_block() const {
  return history_.make_block();
}

void RaceDetector::start_block(Block& block) {
  BlockRaces& races = races_of(block);
  history_.start_block();
  order_.start_block(block);
  races.shared.old = races.full.shared;
  races.reported.clear();
  races.reports = 0;
  races.gave_up = false;
  races.copying = false;
  races.shared.unwritten = 0;
  races.forget_shared(kGreatestSharedNumber / 2);
  if (launch_.launch->checks & MtCheck_UninitShared) {
    races.shared.unwritten = races.shared.old + 1;
  }
  races.trusted = true;
  races.filled = races.shared.unwritten == 0;
  races.scans = 0;
  for (WarpRaces& warp : races.warps) warp.open_interval();
}

void RaceDetector::enter_block(const Block& block) { history_.enter_block(block); }

void RaceDetector::end_block(Context& context, Block& block) {
  context.block = &block;
  report_unwritten(context, block);
  races_of(block).reported.clear();
  races_of(block).raced.clear();
}

void RaceDetector::allocate(uint64_t address, uint64_t size) {
  history_.forget(address, size);
}

ReplayPolicy RaceDetector::learn(const Replay& replay) {
  return replay.has_no_races() ? ReplayPolicy::Unseen : ReplayPolicy::Never;
}

void RaceDetector::barriers_differ(Block& block) { races_of(block).trusted = false; }

void RaceDetector::arrive_at_barrier(Block& block, uint32_t barrier, uint32_t warp) {
  order_.arrive_at_part_barrier(block, barrier, warp);
}

void RaceDetector::leave_barrier(Context& context, Block& block, uint32_t barrier,
                                 uint32_t warps, bool whole) {
  if (!whole) return order_.leave_part_barrier(block, barrier, warps);
  BlockRaces& races = races_of(block);
  end_block(context, block);
  order_.leave_barrier(block);
  races.shared.old = races.full.shared;
  history_.leave_barrier(block);
  for (WarpRaces& warp : races.warps) warp.open_interval();
  races.forget_shared(kGreatestSharedNumber / 2);
  look_for_unwritten(races);
}

void RaceDetector::sync_lanes(Context& context) { order_.sync_lanes(context); }

void RaceDetector::fence(Context& context, bool block_only) {
  order_.fence(context, block_only);
}

void RaceDetector::use_mbarriers(Context& context, const Step* step,
                                 const std::array<uint32_t, kLanes>& at,
                                 uint32_t lanes) {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  const Block& block = *context.block;
  RaceShadow& shadow = races_of(block).shared;
  RaceTouch touch = {step,  &form, true, history_.epoch(context, step, true),
                     lanes, lanes, {}};
  for (uint32_t left = lanes; left; left &= left - 1) {
    touch.address[first_lane(left)] = at[first_lane(left)];
  }
  for (uint32_t left = lanes; left; left &= left - 1) {
    const RaceSeen seen = {context, touch, shadow, first_lane(left)};
    const uint64_t begin = shadow.cell_of(seen.address());
    const Epoch begun = HappensBefore::begun(block, at[seen.lane]);
    if (begun != 0 &&
        !order_.is_before(block, begun, true, context.warp->index, seen.lane)) {
      report(seen, begin, begun, false);
    }
    for (uint64_t i = 0; i < uint64_t{8} >> shadow.cell_shift; ++i) {
      if (form.kind == MemoryForm::Kind::Load) {
        check_read(seen, begin + i);
      } else {
        check_write(seen, begin + i);
      }
    }
  }
}

void RaceDetector::begin_mbarrier(const Context& context, const Step* step, uint32_t at,
                                  uint32_t lane) {
  order_.begin_phase(*context.block, at, history_.epoch(context, step, true) + lane);
}

void RaceDetector::arrive_at_phase(const Context& context, uint32_t at, uint32_t lane,
                                   bool relaxed) {
  order_.arrive_at_phase(context, at, lane, relaxed);
}

void RaceDetector::complete_phase(const Block& block, uint32_t at) {
  HappensBefore::complete_phase(block, at);
}

void RaceDetector::leave_phase(const Context& context, uint32_t at, uint32_t lane,
                               bool relaxed) {
  HappensBefore::leave_phase(context, at, lane, relaxed);
}

void RaceDetector::end_arrivals(const Context& context) {
  races_of(*context.block).warps[context.warp->index].open_interval();
}

namespace {

/// What another access is to this one.
struct Relation {
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
  if (detector.order().is_before(block, epoch, shared, seen.context.warp->index,
                                 seen.lane)) {
    return {};
  }
  const MemoryForm& mine = *seen.touch.form;
  const MemoryForm& its = detector.history().place(block, epoch, shared).form();
  const bool one_block =
      detector.history().thread(block, epoch, shared).block == block.number;
  const bool strong = is_strong(mine) && is_strong(its) && mine.bytes == its.bytes &&
                      (one_block || (covers_blocks(mine) && covers_blocks(its)));
  return {true, !strong};
}

bool RaceRules::is_far(const RaceSeen& seen, Epoch a, Epoch b) {
  const RaceDetector& detector = detector_of(seen.context);
  const bool shared = seen.touch.shared;
  const RaceThread x = detector.history().thread(*seen.context.block, a, shared);
  const RaceThread y = detector.history().thread(*seen.context.block, b, shared);
  return shared ? x.warp != y.warp : x.block != y.block;
}

bool RaceRules::is_plain(const RaceSeen& seen, Epoch epoch) {
  const RaceDetector& detector = detector_of(seen.context);
  return !is_strong(
      detector.history().place(*seen.context.block, epoch, seen.touch.shared).form());
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

}  // namespace

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
  RaceShadow& shadow = touch.shared ? races_of(*context.block).shared : history_.global;
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
    if (shadow.careful && is_strong(*touch.form)) order_.synchronise(seen);
  }
}

void RaceDetector::begin_copy(Context& context, const Step* step, AsyncCopy& copy) {
  BlockRaces& races = races_of(*context.block);
  RaceShadow& shadow = races.shared;
  const MemoryForm& form = context.frame->code->accesses[step->e];
  RaceTouch touch = {step,      &form,        true, history_.epoch(context, step, true),
                     copy.mask, context.mask, {}};
  for (uint32_t left = copy.mask; left; left &= left - 1) {
    touch.address[first_lane(left)] = offset_of(copy, first_lane(left));
  }
  for (uint32_t left = copy.mask; left; left &= left - 1) {
    const RaceSeen seen = {context, touch, shadow, first_lane(left)};
    each_cell(shadow, copy, seen.lane, [&](uint64_t cell) {
      const bool free =
          shadow.settled(shadow.write[cell]) && shadow.settled(shadow.read[cell]) &&
          shadow.settled(shadow.second[cell] & ~kFar) && !shadow.has_write2;
      if (!free) check_write(seen, cell);
    });
  }
  const Epoch other = (context.warp->index << 5) ^ 1;
  for (uint32_t left = copy.mask; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    each_cell(shadow, copy, lane, [&](uint64_t cell) {
      shadow.write[cell] = kInFlight | (other ^ lane);
      shadow.read[cell] = shadow.second[cell] = 0;
    });
  }
  races.copying = true;
  copy.started = touch.first;
  copy.numbering = races.numbering;
  copy.place = races.shared_place[touch.first >> 10];
  copy.warp = context.warp->index;
}

void RaceDetector::hand_over_copies(Context& context) {
  if (!context.warp->copies) return;
  Block& block = *context.block;
  for (AsyncCopy& copy : context.warp->copies->pending) {
    if (!(copy.mask & context.mask) || copy.landing != 0) continue;
    copy.landing =
        AccessHistory::new_shared_epoch(races_of(block), copy.warp, copy.place);
    if (copy.numbering != races_of(block).numbering) copy.started = copy.landing;
    copy.numbering = races_of(block).numbering;
  }
}

void RaceDetector::land_copy(Block& block, const AsyncCopy& copy, uint32_t lanes) {
  RaceShadow& shadow = races_of(block).shared;
  const bool numbered =
      copy.landing != 0 && copy.numbering == races_of(block).numbering;
  const Epoch first = numbered ? copy.landing
                               : AccessHistory::new_shared_epoch(races_of(block),
                                                                 copy.warp, copy.place);
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    each_cell(shadow, copy, lane, [&](uint64_t cell) {
      shadow.write[cell] = first + lane;
      shadow.read[cell] = shadow.second[cell] = shadow.write2[cell] = 0;
    });
  }
  const auto idle = [](const Warp& warp) {
    return !warp.copies ||
           std::all_of(warp.copies->pending.begin(), warp.copies->pending.end(),
                       [](const AsyncCopy& each) { return !each.mask; });
  };
  races_of(block).copying = !std::all_of(block.warps.begin(), block.warps.end(), idle);
}

void RaceDetector::meet_copy(const RaceSeen& seen, uint64_t cell) {
  Epoch& write = seen.shadow.write[cell];
  if (!seen.touch.shared || write < kInFlight) return;
  uint32_t lane = 0;
  const Block& block = *seen.context.block;
  const AsyncCopy* const copy = copy_to(block, seen.address_of(cell), lane);
  if (copy == nullptr || copy->numbering != races_of(block).numbering) {
    write = 0;
    return;
  }
  write = copy->started + lane;
  report(seen, cell, write, false, true);
}

void RaceDetector::check_sources(Context& context, const Step* step) {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  for (const Warp& warp : context.block->warps) {
    if (!warp.copies) continue;
    for (const AsyncCopy& copy : warp.copies->pending) {
      if (copy.mask == 0 || copy.low >= copy.high) continue;
      for (uint32_t left = context.mask; left; left &= left - 1) {
        const uint32_t lane = first_lane(left);
        const uint64_t at = lane_address(context, step, lane);
        if (at >= copy.high || at + form.size() <= copy.low) continue;
        if (meet_source(context, step, copy, lane, at)) break;
      }
    }
  }
}

bool RaceDetector::meet_source(Context& context, const Step* step,
                               const AsyncCopy& copy, uint32_t lane,
                               uint64_t at) const {
  const MemoryForm& form = context.frame->code->accesses[step->e];
  for (uint32_t left = copy.mask; left; left &= left - 1) {
    const uint32_t by = first_lane(left);
    const bool apart = at >= copy.source[by] + copy.source_bytes[by] ||
                       at + form.size() <= copy.source[by];
    if (apart) continue;
    const RacePlace& its = history_.place(copy.place);
    FindingRecord record = record_at(context, step, MtFinding_RaceGlobal, lane);
    record.other.function = its.code->index;
    record.other.instruction = its.step->instruction;
    record.other.block = context.block->number;
    record.other.thread = copy.warp * kLanes + by;
    record.other.callers = its.callers;
    record.space = MtSpace_Global;
    record.access = access_of(form);
    record.address = at;
    record.size = form.size();
    record.other_access = MtAccess_CopyFrom;
    record.remedy = MtRemedy_AwaitCopyOfSource;
    if (launch_.launch->checks & MtCheck_Race) context.findings->note(context, record);
    return true;
  }
  return false;
}

void RaceDetector::note_unwritten(const RaceSeen& seen) {
  const RaceShadow& shadow = seen.shadow;
  const MemoryForm& form = *seen.touch.form;
  const Epoch* const write = shadow.write + shadow.cell_of(seen.address());
  const uint32_t cells = form.size() >> shadow.cell_shift;
  const uint32_t each = cells / form.vector;
  uint32_t components = 0, written = 0;
  for (uint32_t i = 0; i < cells; ++i) {
    const bool known = write[i] >= shadow.unwritten;
    written += known;
    components |= known ? 0 : 1u << (i / each);
  }
  if (components == 0) return;
  // Padding of a struct that is moved as a whole.
  if (written != 0 && form.kind == MemoryForm::Kind::Load) {
    components &= ~copied_components(seen.context, seen.touch.step);
  }
  auto& reads = races_of(*seen.context.block).unwritten;
  if (components == 0 || reads.size() >= kGreatestReads) return;
  const uint32_t number = seen.epoch() >> 10;
  reads.push_back({seen.address(), seen.context.warp->index * kLanes + seen.lane,
                   races_of(*seen.context.block).shared_place[number]});
}

/// Loads need not look where all has been written.
void RaceDetector::look_for_unwritten(BlockRaces& races) {
  if (races.filled || races.scans++ >= kGreatestScans) return;
  const RaceShadow& shadow = races.shared;
  uint32_t missing = 0;
  for (uint64_t i = 0; i < shadow.bytes >> shadow.cell_shift; ++i) {
    missing |= shadow.write[i] < shadow.unwritten;
  }
  races.filled = missing == 0;
}

void RaceDetector::report_unwritten(Context& context, Block& block) const {
  BlockRaces& races = races_of(block);
  if (races.unwritten.empty()) return;
  std::sort(races.raced.begin(), races.raced.end());
  std::map<uint32_t, std::pair<const UnwrittenRead*, uint64_t>> found;  // by place
  for (const UnwrittenRead& read : races.unwritten) {
    const uint64_t end = read.address + history_.place(read.place).form().size();
    const auto raced =
        std::lower_bound(races.raced.begin(), races.raced.end(), read.address);
    if (raced != races.raced.end() && *raced < end) continue;
    auto& [first, count] = found.try_emplace(read.place, &read, 0).first->second;
    if (read.thread < first->thread) first = &read;
    ++count;
  }
  for (const auto& [number, reads] : found) {
    const RacePlace& place = history_.place(number);
    FindingRecord record;
    record.kind = MtFinding_UninitShared;
    record.site.function = place.code->index;
    record.site.instruction = place.step->instruction;
    record.site.block = block.number;
    record.site.thread = reads.first->thread;
    record.site.callers = place.callers;
    record.space = MtSpace_Shared;
    record.access =
        place.form().kind == MemoryForm::Kind::Load ? MtAccess_Read : MtAccess_Atomic;
    record.address = reads.first->address;
    record.size = place.form().size();
    context.findings->note(context, record, reads.second);
  }
  races.unwritten.clear();
}

}  // namespace minitorch::simt
