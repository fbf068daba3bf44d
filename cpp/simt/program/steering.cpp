#include "simt/program/steering.h"

#include <algorithm>

namespace minitorch::simt {
namespace {

/// Whether the operation only makes its results of its sources.
bool computes(const WarpOp& op) {
  switch (op.kind) {
    case WarpOp::Kind::Lane:
    case WarpOp::Kind::Product:
    case WarpOp::Kind::MatrixAddress:
    case WarpOp::Kind::FragmentAddress:
      return true;
    default:
      return false;
  }
}

/// Whether the operation only looks: at an access, or at what is not defined.
bool looks(const WarpOp& op) {
  return op.kind == WarpOp::Kind::Probe || op.kind == WarpOp::Kind::Definedness;
}

}  // namespace

std::vector<bool> find_steering(const WarpProgram& program) {
  std::vector<bool> steers(program.values.all().size(), false);
  bool changed = false;
  const auto mark = [&](Value value) {
    if (!value || steers[value.id]) return;
    steers[value.id] = changed = true;
  };
  const auto visit = [&](const WarpOp& op) {
    if (looks(op)) return;
    mark(op.address);
    if (op.kind == WarpOp::Kind::Access) return;
    const bool wanted = std::any_of(op.results.begin(), op.results.end(),
                                    [&](Value value) { return steers[value.id]; });
    if (computes(op) && !wanted) return;
    for (const Value value : op.sources) mark(value);
  };
  do {
    changed = false;
    for (auto group = program.groups.rbegin(); group != program.groups.rend();
         ++group) {
      for (auto op = group->ops.rbegin(); op != group->ops.rend(); ++op) visit(*op);
    }
  } while (changed);
  return steers;
}

}  // namespace minitorch::simt
