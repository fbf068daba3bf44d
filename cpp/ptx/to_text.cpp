#include "ptx/to_text.h"

#include <sstream>

#include "ptx/special_registers.h"

namespace minitorch::ptx {
namespace {

class Listing {
 public:
  Listing(const Function& function, const Module& module)
      : function_(function), module_(module) {}

  std::string make() {
    out_ << function_.display << (function_.entry ? " (entry)\n" : "\n");
    for (size_t b = 0; b < function_.blocks.size(); ++b) {
      const BasicBlock& block = function_.blocks[b];
      out_ << "B" << b << " ->";
      for (uint32_t next : block.successors) out_ << " B" << next;
      out_ << " (join ";
      if (block.post_dominator == kNone)
        out_ << "exit)\n";
      else
        out_ << "B" << block.post_dominator << ")\n";
      for (uint32_t i = block.begin; i < block.end; ++i) write(i);
    }
    return out_.str();
  }

 private:
  void write(const Operand& operand) {
    if (operand.negated) out_ << '!';
    switch (operand.kind) {
      case Operand::Kind::None:
        out_ << "none";
        break;
      case Operand::Kind::Sink:
        out_ << '_';
        break;
      case Operand::Kind::Register:
        out_ << function_.registers[operand.index].name;
        break;
      case Operand::Kind::Immediate:
        out_ << "0x" << std::hex << operand.bits << std::dec;
        break;
      case Operand::Kind::Special:
        out_ << special_name(operand.special);
        break;
      case Operand::Kind::Variable:
        out_ << module_.variables[operand.index].display;
        if (operand.offset != 0)
          out_ << std::showpos << operand.offset << std::noshowpos;
        break;
      case Operand::Kind::Function:
        out_ << module_.functions[operand.index].display;
        break;
    }
  }

  void write(const std::vector<Operand>& operands) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (i > 0) out_ << ", ";
      write(operands[i]);
    }
  }

  void write_address(const Instruction& instruction) {
    static constexpr const char* kKinds[] = {"", "own ", "return ", "argument ",
                                             "result "};
    const auto kind = static_cast<int>(instruction.parameter_kind);
    if (kind == 0 && instruction.address.base.kind == Operand::Kind::None) return;
    out_ << " [" << kKinds[kind];
    if (kind != 0)
      out_ << instruction.parameter;
    else
      write(instruction.address.base);
    out_ << std::showpos << instruction.address.offset << std::noshowpos << ']';
  }

  void write(uint32_t index) {
    const Instruction& instruction = function_.instructions[index];
    out_ << "  " << index << ": ";
    if (instruction.guard != kNone)
      out_ << (instruction.guard_negated ? "@!" : "@")
           << function_.registers[instruction.guard].name << ' ';
    out_ << instruction.opcode.text << ' ';
    write(instruction.destinations);
    if (!instruction.destinations.empty()) out_ << " = ";
    write(instruction.sources);
    write_address(instruction);
    if (instruction.target != kNone) out_ << "-> " << instruction.target;
    for (uint32_t target : instruction.targets) out_ << " -> " << target;
    out_ << "   ;";
    if (instruction.position != kNone)
      out_ << " line " << module_.positions[instruction.position].line;
    out_ << (instruction.uniform ? ", uniform\n" : "\n");
  }

  const Function& function_;
  const Module& module_;
  std::ostringstream out_;
};

}  // namespace

std::string to_text(const Function& function, const Module& module) {
  return Listing(function, module).make();
}

}  // namespace minitorch::ptx
