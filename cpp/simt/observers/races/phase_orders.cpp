#include "simt/observers/races/phase_orders.h"

#include <algorithm>
#include <unordered_map>

namespace minitorch::simt {
namespace {

bool holds(const Clock& all, const Clock& part) {
  for (size_t i = 0; i < all.size(); ++i) {
    if (part[i].shared > all[i].shared || part[i].global > all[i].global) return false;
  }
  return true;
}

}  // namespace

void join(Clock& to, const Clock& from) {
  for (size_t i = 0; i < to.size(); ++i) join(to[i], from[i]);
}

/// Threads that have learnt the same share one clock.
ClockView PhaseOrders::merge(const ClockView& a, const ClockView& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  if (merged_from_[0] == a && merged_from_[1] == b) return merged_;
  merged_from_[0] = a;
  merged_from_[1] = b;
  if (holds(*b, *a)) return merged_ = b;
  if (holds(*a, *b)) return merged_ = a;
  auto both = std::make_shared<Clock>(*a);
  join(*both, *b);
  return merged_ = std::move(both);
}

void PhaseOrders::forget_known() {
  std::fill(known.begin(), known.end(), nullptr);
  std::fill(waited.begin(), waited.end(), nullptr);
  arrived.clear();
}

void PhaseOrders::forget_shared() {
  std::unordered_map<const Clock*, ClockView> changed;
  const auto forget = [&](ClockView& view) {
    if (!view) return;
    ClockView& to = changed[view.get()];
    if (!to) {
      auto without = std::make_shared<Clock>(*view);
      for (Bound& bound : *without) bound.shared = 0;
      to = std::move(without);
    }
    view = to;
  };
  for (ClockView& view : known) forget(view);
  for (ClockView& view : waited) forget(view);
  for (auto& [barrier, view] : arrived) forget(view);
  for (auto& [at, phase] : phases) {
    phase.begun = 0;
    phase.joined = nullptr;
    for (Bound& bound : phase.gathered) bound.shared = 0;
    forget(phase.over);
  }
  merged_from_[0] = merged_from_[1] = merged_ = nullptr;
}

}  // namespace minitorch::simt
