// Which registers may be read before they are written; knows no values.
#include "ptx/analysis.h"

namespace minitorch::ptx {
namespace {

// A set of registers, one bit each.
class RegisterSet {
 public:
  explicit RegisterSet(size_t count) : words_((count + 63) / 64) {}
  bool has(uint32_t i) const { return (words_[i / 64] >> (i % 64)) & 1u; }
  void insert(uint32_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }

  // this |= other - without; true when something is new.
  bool merge(const RegisterSet& other, const RegisterSet& without) {
    bool changed = false;
    for (size_t w = 0; w < words_.size(); ++w) {
      const uint64_t merged = words_[w] | (other.words_[w] & ~without.words_[w]);
      changed |= merged != words_[w];
      words_[w] = merged;
    }
    return changed;
  }

 private:
  std::vector<uint64_t> words_;
};

void read(const Operand& operand, const RegisterSet& written, RegisterSet& live) {
  if (operand.kind == Operand::Kind::Register && !written.has(operand.index))
    live.insert(operand.index);
}

void scan_block(const Function& function, const BasicBlock& block, RegisterSet& live,
                RegisterSet& written) {
  for (uint32_t i = block.begin; i < block.end; ++i) {
    const Instruction& instruction = function.instructions[i];
    for (const Operand& source : instruction.sources) read(source, written, live);
    read(instruction.address.base, written, live);
    read(instruction.source_address.base, written, live);
    if (instruction.guard != kNone) {
      if (!written.has(instruction.guard)) live.insert(instruction.guard);
      continue;  // what a guarded instruction writes may not be written
    }
    for (const Operand& destination : instruction.destinations)
      if (destination.kind == Operand::Kind::Register)
        written.insert(destination.index);
  }
}

}  // namespace

void find_undefined_registers(Function& function) {
  const size_t blocks = function.blocks.size(), registers = function.registers.size();
  if (blocks == 0) return;
  std::vector<RegisterSet> live(blocks, RegisterSet(registers));
  std::vector<RegisterSet> written = live;
  for (size_t b = 0; b < blocks; ++b)
    scan_block(function, function.blocks[b], live[b], written[b]);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = blocks; b-- > 0;)
      for (uint32_t next : function.blocks[b].successors)
        changed |= live[b].merge(live[next], written[b]);
  }
  for (uint32_t r = 0; r < registers; ++r)
    if (live[0].has(r)) function.maybe_undefined.push_back(r);
}

}  // namespace minitorch::ptx
