// The observers that one launch asks for, on one host thread, and what follows from
// their rows.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "simt/observing/observer.h"

namespace minitorch::simt {

class Observers {
 public:
  explicit Observers(const LaunchState& launch);
  ~Observers();

  const std::vector<Observer*>& all() const { return all_; }
  /// Shows them to who executes threads, and each to its own probes.
  void attach(Context& context) const;
  /// Gives a resident block what they keep of it.
  void attach(Block& block) const;
  void start_block(Block& block) const;

  /// Takes over what those of another host thread have seen.
  void add(const Observers& others);
  void give(Outcome& outcome) const;

 private:
  std::array<std::unique_ptr<Observer>, kObservers> by_id_;
  std::vector<Observer*> all_;
  std::vector<ThreadObserver*> of_threads_;
};

/// The bits of Launch::checks that an observer's probes stand for.
uint32_t checks_of(ObserverId observer);
/// Those of all observers: with these bits alike, a program has the same probes.
uint32_t probing_bits();
/// Whether one of the observers asked for wants blocks in order.
bool runs_in_order(uint32_t checks);
/// Drops what observers do not want said beside other notes.
void revise(MergedNotes& notes, uint32_t checks);

}  // namespace minitorch::simt
