// The probes that record a trace.
#include "simt/observers/probe_access.h"
#include "simt/observers/trace/trace_writer.h"
#include "simt/program/engine.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

// a: the predicate of a guard (kNoRow: none), b: 1 if negated, e: the instruction's
// number in its module.
const Step* trace_step(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  if (!observer_of<TraceWriter>(state).wants(state)) return step + 1;
  uint32_t executing = state.mask;
  if (step->a != kNoRow) {
    const uint32_t predicate = mask_row(state, step->a);
    executing &= step->b ? ~predicate : predicate;
  }
  observer_of<TraceWriter>(state).step(state, step->e, executing);
  return step + 1;
}

// a: the row, b: bytes a lane (0: a predicate), e: the register's number in its module.
const Step* trace_result(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  if (!observer_of<TraceWriter>(state).wants(state)) return step + 1;
  uint64_t values[kLanes];
  for (uint32_t i = 0; i < kLanes; ++i) {
    values[i] = step->b == 0   ? mask_row(state, step->a) >> i & 1
                : step->b == 4 ? row<uint32_t>(state, step->a)[i]
                               : row<uint64_t>(state, step->a)[i];
  }
  observer_of<TraceWriter>(state).result(state, step->e, values);
  return step + 1;
}

const Step* trace_values(LaneState& lane_state, const Step* step) {
  Context& state = context(lane_state);
  observer_of<TraceWriter>(state).values(state);
  return step + 1;
}

struct Recorded {
  static void look(Context& state, const Touch& touch) {
    if (!observer_of<TraceWriter>(state).wants(state)) return;
    uint64_t at[kLanes];
    for (uint32_t i = 0; i < kLanes; ++i) at[i] = touch.at(i);
    observer_of<TraceWriter>(state).access(state, *touch.form, touch.space, touch.mask,
                                           at);
  }
};

}  // namespace

HandlerPair find_trace_step_probe(const MemoryForm&) {
  return {&trace_step, &trace_step};
}
HandlerPair find_trace_result_probe(const MemoryForm&) {
  return {&trace_result, &trace_result};
}
HandlerPair find_trace_values_probe(const MemoryForm&) {
  return {&trace_values, &trace_values};
}
HandlerPair find_trace_access_probe(const MemoryForm& form) {
  return ProbeAccess<Recorded>::find(form);
}

}  // namespace minitorch::simt::MINITORCH_ISA
