// Which observers a launch has.
#include "simt/observing/list.h"

#include "simt/observers/observed.h"
#include "simt/warp/context.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {
namespace {

constexpr const ObserverRow* kRows[] = {
#define OBSERVER(Name) &k##Name##Row,
#include "simt/observing/list.inc"
#undef OBSERVER
};

}  // namespace

Observer::~Observer() = default;
ObservedBlock::~ObservedBlock() = default;
void ThreadObserver::sync_lanes(Context&) {}
void ThreadObserver::fence(Context&, bool) {}

Observers::Observers(const LaunchState& launch) {
  for (size_t i = 0; i < kObservers; ++i) {
    const ObserverRow& row = *kRows[i];
    if (!(launch.launch->checks & row.checks) || row.make == nullptr) continue;
    by_id_[i] = row.make(launch);
    all_.push_back(by_id_[i].get());
    if (ThreadObserver* const told = all_.back()->threads())
      of_threads_.push_back(told);
  }
}

Observers::~Observers() = default;

void Observers::attach(Context& context) const {
  context.observers = of_threads_;
  for (size_t i = 0; i < kObservers; ++i) {
    context.probed[i] = by_id_[i] ? by_id_[i]->probed() : nullptr;
  }
}

void Observers::attach(Block& block) const {
  for (size_t i = 0; i < kObservers; ++i) {
    if (by_id_[i]) block.observed[i] = by_id_[i]->make_block();
  }
}

void Observers::start_block(Block& block) const {
  for (Observer* const each : all_) each->start_block(block);
}

void Observers::add(const Observers& others) {
  for (size_t i = 0; i < kObservers; ++i) {
    if (by_id_[i]) by_id_[i]->add(*others.by_id_[i]);
  }
}

void Observers::give(Outcome& outcome) const {
  for (Observer* const each : all_) each->give(outcome);
}

uint32_t checks_of(ObserverId observer) {
  return kRows[static_cast<size_t>(observer)]->checks;
}

uint32_t probing_bits() {
  uint32_t bits = 0;
  for (const ObserverRow* row : kRows) bits |= row->checks;
  return bits;
}

bool runs_in_order(uint32_t checks) {
  bool in_order = false;
  for (const ObserverRow* row : kRows)
    in_order |= row->in_order && row->checks & checks;
  return in_order;
}

void revise(MergedNotes& notes, uint32_t checks) {
  for (const ObserverRow* row : kRows) {
    if (row->revise != nullptr && row->checks & checks) row->revise(notes);
  }
}

Observed& observed_of(Outcome& outcome) {
  if (!outcome.observed) outcome.observed = std::make_shared<Observed>();
  return *outcome.observed;
}

}  // namespace minitorch::simt
