// The syntax tree of PTX text: what was written, names unresolved. All texts are views
// into the source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ptx/opcode.h"

namespace minitorch::ptx::syntax {

/// Where something stands in the PTX text, from 1.
struct Place {
  uint32_t line = 0, column = 0;
};

/// A number as written: a float literal keeps its bits (0f..., 0d...; a decimal float
/// is a Double) until the type it is used at is known.
struct Constant {
  enum class Form : uint8_t { Integer, Single, Double };
  Form form = Form::Integer;
  uint64_t bits = 0;
};

struct Operand {
  enum class Kind : uint8_t {
    Name,  // register, variable, label, function; with `offset`
    Constant,
    Sink,     // _
    Vector,   // {elements}
    Address,  // [elements[0] + offset]
    Element,  // name[elements[0] + offset]: counts elements of the array
    Pair,     // elements[0] | elements[1]
    List,     // (elements), in calls
  };
  Kind kind = Kind::Name;
  bool negated = false;  // !name
  Place place;
  std::string_view name;
  Constant constant;
  int64_t offset = 0;
  std::vector<Operand> elements;
};

/// One value of an initialiser, at element `index` of the (flattened) array. With a
/// `symbol` it is that symbol's address + addend; `mask` picks one byte of the address.
struct Initial {
  uint64_t index = 0;
  Constant constant;
  std::string_view symbol;
  int64_t addend = 0;
  bool generic = false;
  uint64_t mask = 0;
  Place place;
};

/// Who else may use a name declared at module level.
enum class Linkage : uint8_t { Internal, Visible, Weak, Common, Extern };

enum class Storage : uint8_t { Register, Parameter, Global, Const, Shared, Local };

/// A declared name: register (or `range` of registers), parameter or variable.
struct Declaration {
  Place place;
  Storage storage = Storage::Register;
  Type type = Type::None;
  std::string_view name;
  uint32_t vector = 1;     // .v2, .v4 of variables
  uint32_t alignment = 0;  // 0: natural
  uint32_t range = 0;      // %r<range>, 0 for a single name
  bool array = false, unsized = false, external = false;
  uint64_t count = 1;  // array elements
  std::vector<uint64_t> dimensions;
  std::vector<Initial> initial;
  Linkage linkage = Linkage::Internal;
  bool managed = false;        // .attribute(.managed)
  std::string_view statement;  // the whole text, with linkage; module level only
};

struct Instruction {
  Place place;
  std::string_view opcode, guard;
  bool guard_negated = false;
  std::vector<Operand> operands;
};

struct Label {
  Place place;
  std::string_view name;
};
struct ScopeBegin {};
struct ScopeEnd {};

/// .loc; inlined[] is the position of the call when `is_inlined`.
struct Location {
  uint32_t file = 0, line = 0, column = 0;
  bool is_inlined = false;
  std::string_view function;  // label of the inlined function's name in .debug_str
  uint32_t inlined[3] = {0, 0, 0};
};

/// .branchtargets and .calltargets.
struct Targets {
  std::string_view name;
  std::vector<std::string_view> names;
};

/// .callprototype
struct Prototype {
  std::string_view name;
  std::vector<Declaration> returns, parameters;
};

using Statement = std::variant<Instruction, Label, ScopeBegin, ScopeEnd, Declaration,
                               Location, Targets, Prototype>;

struct Function {
  Place place;
  std::string_view name;
  bool entry = false, defined = false;
  std::vector<Declaration> returns, parameters;
  std::vector<Statement> body;
  uint32_t max_threads = 0;
  uint32_t required_threads[3] = {0, 0, 0};
  uint32_t max_registers = 0;  // .maxnreg, 0 when absent
  Linkage linkage = Linkage::Internal;
  std::string_view statement;  // the whole text, with linkage
};

struct Module {
  int version_major = 0, version_minor = 0, target_sm = 0;
  bool debug = false;
  std::vector<Declaration> variables;
  std::vector<Function> functions;
  std::vector<std::pair<uint32_t, std::string_view>> files;
  std::vector<std::pair<std::string_view, std::string>> strings;       // .debug_str
  std::vector<std::pair<std::string_view, std::string_view>> aliases;  // of functions
};

}  // namespace minitorch::ptx::syntax
