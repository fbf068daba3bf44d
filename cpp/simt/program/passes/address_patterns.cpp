// Where the patterns of addresses (lanes/step.h) become void: at what an operation
// defines.
#include <algorithm>

#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

/// By value: whether an access takes it for its address.
std::vector<bool> find_addresses(const WarpProgram& program) {
  std::vector<bool> is_address(program.values.all().size(), false);
  for (const WarpProgram::Group& group : program.groups) {
    for (const WarpOp& op : group.ops) {
      if (op.kind == WarpOp::Kind::Access) is_address[op.address.id] = true;
    }
  }
  return is_address;
}

/// Whether the operation's own step makes the pattern of its first result void.
bool forgets_first(const WarpOp& op) {
  switch (op.kind) {
    case WarpOp::Kind::Lane:
    case WarpOp::Kind::Collective:
    case WarpOp::Kind::ShadowedShuffle:
    case WarpOp::Kind::Product:
    case WarpOp::Kind::MatrixAddress:
    case WarpOp::Kind::FragmentAddress:
    case WarpOp::Kind::Access:
      return true;
    case WarpOp::Kind::Control:
      // What is extended in place was defined just before, and forgotten there.
      return op.control == Control::SignExtend8 ||
             op.control == Control::SignExtend8To32 ||
             op.control == Control::SignExtend16To32 ||
             op.control == Control::LoadSlot ||
             op.control == Control::LoadParameterAt ||
             op.control == Control::NextCopy || op.control == Control::Barrier ||
             op.control == Control::MbarrierArrive ||
             op.control == Control::MbarrierPending;
    case WarpOp::Kind::Probe:
    case WarpOp::Kind::Definedness:
      return false;
  }
  return false;
}

}  // namespace

void forget_address_patterns(WarpProgram& program) {
  const std::vector<bool> is_address = find_addresses(program);
  for (uint32_t i = 0; i <= program.instruction_count(); ++i) {
    std::vector<WarpOp> forgotten;
    for (WarpOp& op : program.groups[i].ops) {
      const std::vector<Value> written = definitions(op);
      for (size_t k = 0; k < written.size(); ++k) {
        if (!is_address[written[k].id]) continue;
        if (k == 0 && forgets_first(op)) {
          op.forgets = written[0];
          continue;
        }
        WarpOp& clear = forgotten.emplace_back();
        clear.control = Control::ClearPattern;
        clear.forgets = written[k];
        clear.instruction = i;
      }
    }
    auto& ops = program.groups[i].ops;
    ops.insert(ops.end(), forgotten.begin(), forgotten.end());
  }
}

}  // namespace minitorch::simt
