// The values of one function's program: its registers, their shadows, constants, and
// scratch with the time it lives.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simt/program/code.h"
#include "simt/program/warp_op.h"

namespace minitorch::simt {

class Values {
 public:
  enum class Role : uint8_t {
    None,
    Register,     // `number` of the function
    Shadow,       // of register `number` (poison.h)
    Constant,     // filled beforehand, written by no operation
    Temporary,    // lives in one PTX instruction
    Narrow,       // a result before it is widened to register `number`
    Carry,        // the carry flag, from one instruction to the next
    Sink,         // results that nobody wants
    CopyWord,     // cp.async: what is on its way, in one PTX instruction
    CopyAddress,  // where it goes
  };
  struct Info {
    Role role = Role::None;
    uint8_t lane_bytes = 0;  // 0: a predicate
    uint32_t number = 0;
    RowFill fill;  // of a constant
  };

  Values(const LoadedModule& module, const ptx::Function& function);

  const Info& operator[](Value value) const { return infos_[value.id]; }
  /// In the order in which they were made; the first is none.
  const std::vector<Info>& all() const { return infos_; }

  Value of(uint32_t reg);
  Value shadow(uint32_t reg);
  /// From now on the register is this constant.
  void alias(uint32_t reg, Value value) { registers_[reg] = value; }
  /// The register or its shadow if it has been asked for, else none.
  Value known(uint32_t reg) const { return registers_[reg]; }
  Value known_shadow(uint32_t reg) const { return shadows_[reg]; }
  /// Bytes a lane of the register: 4 or 8, 0 for a predicate.
  uint32_t lane_bytes(uint32_t reg) const;
  const ptx::Register& declared(uint32_t reg) const;

  /// An immediate, special register, variable or function; `lane_bytes` as it is read.
  Value constant(const ptx::Operand& operand, uint32_t lane_bytes);
  Value number(uint64_t bits, uint32_t lane_bytes);
  /// `size` bytes of the launch's parameters, extended to a row.
  Value parameter(uint32_t offset, uint32_t size, uint32_t lane_bytes);
  Value scratch(Role role, uint32_t number, uint32_t lane_bytes);

  /// "%r1", "5", "param[8]", "t0": for people.
  std::string text(Value value) const;

 private:
  using ConstantKey =
      std::tuple<RowFill::Kind, ptx::Special, uint32_t, uint32_t, uint64_t>;
  using ScratchKey = std::tuple<Role, uint32_t, uint32_t>;

  Value add(Info info);
  Value add_constant(const RowFill& fill);
  RowFill variable_fill(const ptx::Operand& operand) const;

  const LoadedModule& module_;
  const ptx::Function& function_;
  std::vector<Info> infos_;
  std::vector<Value> registers_, shadows_;
  std::map<ConstantKey, Value> constants_;
  std::map<ScratchKey, Value> scratch_;
};

}  // namespace minitorch::simt
