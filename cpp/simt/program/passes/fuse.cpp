// The search for runs of {ld.shared.f32, ld.shared.f32, fma.rn.f32} that one step may
// execute.
#include <algorithm>

#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Type;
using Kind = ptx::Operand::Kind;

bool loads_factor(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  return opcode.op == Op::Ld && opcode.space == ptx::Space::Shared &&
         opcode.type == Type::F32 && opcode.vector == 1 &&
         opcode.order == ptx::Order::Weak && instruction.guard == ptx::kNone &&
         instruction.destinations[0].kind == Kind::Register;
}

bool is_sum(const Instruction& instruction) {
  const ptx::Opcode& opcode = instruction.opcode;
  return opcode.op == Op::Fma && opcode.type == Type::F32 && !opcode.ftz &&
         !opcode.sat && opcode.rounding == ptx::Rounding::Nearest &&
         instruction.guard == ptx::kNone &&
         instruction.destinations[0].kind == Kind::Register;
}

uint32_t result_of(const Instruction& instruction) {
  return instruction.destinations[0].index;
}

class Fusion {
 public:
  explicit Fusion(WarpProgram& program)
      : program_(program),
        all_(program.function.instructions),
        reads_of_(count_reads(program.function)),
        starts_(block_starts(program.function)) {}
  void run();

 private:
  /// Nothing but probes of its access stands before the instruction's only operation.
  bool is_one_op(uint32_t instruction) const {
    const auto& ops = program_.groups[instruction].ops;
    return !ops.empty() && !is_access_probe(ops.back()) &&
           std::all_of(ops.begin(), ops.end() - 1, is_access_probe);
  }
  bool is_triple(uint32_t at) const;
  uint32_t count_triples(uint32_t at) const;
  void gather_probes(uint32_t begin, uint32_t end);

  WarpProgram& program_;
  const std::vector<Instruction>& all_;
  const std::vector<uint32_t> reads_of_;
  const std::vector<bool> starts_;
};

bool Fusion::is_triple(uint32_t at) const {
  if (at + 2 >= all_.size() || starts_[at + 1] || starts_[at + 2]) return false;
  if (!is_one_op(at) || !is_one_op(at + 1) || !is_one_op(at + 2)) return false;
  if (!loads_factor(all_[at]) || !loads_factor(all_[at + 1]) || !is_sum(all_[at + 2])) {
    return false;
  }
  const auto& factors = all_[at + 2].sources;
  const uint32_t x = result_of(all_[at]), y = result_of(all_[at + 1]);
  const bool multiplies = (is_register(factors[0], x) && is_register(factors[1], y)) ||
                          (is_register(factors[0], y) && is_register(factors[1], x));
  const auto is_narrow = [&](uint32_t load) {
    const uint32_t access = program_.groups[load].ops.back().access;
    return program_.code.accesses[access].address_bytes == 4;
  };
  const Values& values = program_.values;
  return multiplies && is_narrow(at) && is_narrow(at + 1) && x != y &&
         reads_of_[x] == 1 && reads_of_[y] == 1 && values.lane_bytes(x) == 4 &&
         values.lane_bytes(y) == 4;
}

uint32_t Fusion::count_triples(uint32_t at) const {
  uint32_t triples = 1;
  // The next triple adds to this one's sum, which nothing else reads.
  for (uint32_t next = at + 3; is_triple(next); next += 3, ++triples) {
    const uint32_t sum = result_of(all_[next - 1]);
    const bool chained = !starts_[next] && reads_of_[sum] == 1 &&
                         is_register(all_[next + 2].sources[2], sum);
    if (!chained) break;
  }
  return triples;
}

/// Moves the probes of instructions [begin, end) to their front: loaded values and sums
/// are no addresses.
void Fusion::gather_probes(uint32_t begin, uint32_t end) {
  std::vector<WarpOp> probes;
  for (uint32_t i = begin; i < end; ++i) {
    auto& ops = program_.groups[i].ops;
    probes.insert(probes.end(), ops.begin(), ops.end() - 1);
    ops.erase(ops.begin(), ops.end() - 1);
  }
  auto& first = program_.groups[begin].ops;
  first.insert(first.begin(), probes.begin(), probes.end());
}

void Fusion::run() {
  for (uint32_t at = 0; at + 2 < all_.size(); ++at) {
    if (!is_triple(at)) continue;
    const uint32_t triples = count_triples(at);
    gather_probes(at, at + 3 * triples);
    program_.groups[at].ops.back().fused_triples = triples;
    at += 3 * triples - 1;
  }
}

}  // namespace

void fuse_dots(WarpProgram& program) {
  if (program.engine.fused_dot) Fusion(program).run();
}

}  // namespace minitorch::simt
