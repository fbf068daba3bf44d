// The names visible inside a function, scope by scope; knows no instruction.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/program.h"
#include "ptx/syntax.h"

namespace minitorch::ptx {

/// What a name stands for. Registers get their index when first used, so that registers
/// that are only declared cost nothing.
struct Symbol {
  enum class Kind : uint8_t {
    Register,
    Parameter,      // of this function
    Return,         // of this function
    CallParameter,  // .param declared in the body, for a call
    Variable,
    Targets,  // .branchtargets, .calltargets
    Prototype,
  };
  Kind kind = Kind::Register;
  Type type = Type::None;  // registers
  uint32_t index = kNone;
  uint32_t depth = 0;  // of the scope
};

class SymbolTable {
 public:
  void open_scope();
  void close_scope();
  void declare(std::string_view name, Symbol symbol);
  /// `prefix`0 .. `prefix`(count - 1), all registers of one type.
  void declare_range(std::string_view prefix, Type type, uint32_t count);

  /// The innermost symbol, or nullptr. Valid until the table changes.
  Symbol* find(std::string_view name);

 private:
  struct Range {
    std::vector<Symbol> symbols;
    uint32_t depth = 0;
  };
  // Each name keeps its declarations, innermost last; a scope remembers what it
  // declared.
  std::unordered_map<std::string_view, std::vector<Symbol>> symbols_;
  std::unordered_map<std::string_view, std::vector<Range>> ranges_;
  struct Scope {
    std::vector<std::string_view> symbols, ranges;
  };
  std::vector<Scope> scopes_ = std::vector<Scope>(1);
};

}  // namespace minitorch::ptx
