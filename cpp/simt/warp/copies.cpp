#include "simt/warp/copies.h"

#include <algorithm>

namespace minitorch::simt {
namespace {

using ptx::Op;

bool moves(Op op) { return op == Op::Mov || op == Op::Pack || op == Op::Unpack; }

}  // namespace

bool is_only_copied(const ptx::Function& function, uint32_t reg) {
  std::vector<uint32_t> found = {reg};
  for (size_t next = 0; next < found.size(); ++next) {
    const uint32_t value = found[next];
    for (const ptx::Instruction& instruction : function.instructions) {
      if (instruction.guard == value || is_register(instruction.address.base, value) ||
          is_register(instruction.source_address.base, value)) {
        return false;
      }
      const bool used = any_is_register(instruction.sources, value);
      if (!used || instruction.opcode.op == Op::St) continue;
      if (!moves(instruction.opcode.op)) return false;
      for (const ptx::Operand& to : instruction.destinations) {
        const bool fresh =
            to.kind == ptx::Operand::Kind::Register &&
            std::find(found.begin(), found.end(), to.index) == found.end();
        if (fresh) found.push_back(to.index);
      }
    }
  }
  return true;
}

}  // namespace minitorch::simt
