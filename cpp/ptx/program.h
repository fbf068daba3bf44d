// The decoded form of a PTX module: what the executors run. Plain data; made by
// `decode` (decode.h), never changed after.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ptx/opcode_facts.h"

namespace minitorch::ptx {

/// Index that means "none" wherever a field below says so.
inline constexpr uint32_t kNone = 0xffffffffu;

enum class Special : uint8_t {
  None,
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  Clock,
  Clock64,
  ClockHi,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
  DynamicSmemSize,
  TotalSmemSize,
  EnvReg,   // %envreg0 to %envreg31, but for these two: 0
  EnvReg1,  // address of the workspace of a cooperative launch: its high half
  EnvReg2,  // the low one
};

/// A value an instruction reads or writes.
struct Operand {
  enum class Kind : uint8_t {
    None,
    Sink,       // `_`: result not wanted
    Register,   // index into Function::registers
    Immediate,  // `bits`, already in the representation of the operand's type; the
                // address of an own parameter is its offset in the parameter buffer,
                // and `index` which one that is
    Special,    // a special register
    Variable,   // address of Module::variables[index] (plus `offset`)
    Function,   // address of Module::functions[index]
  };
  Kind kind = Kind::None;
  Special special = Special::None;
  Type type = Type::None;  // that the instruction reads or writes; of `_`, too
  bool negated = false;    // predicate sources: `!%p`
  uint32_t index = kNone;
  uint64_t bits = 0;
  int64_t offset = 0;
};

bool is_register(const Operand& operand, uint32_t reg);
bool any_is_register(const std::vector<Operand>& operands, uint32_t reg);

/// `[base + offset]` of a memory instruction; `base` is a Register, Variable or
/// Immediate (absolute). For ld.param / st.param see `Instruction::parameter`.
struct Address {
  Operand base;
  int64_t offset = 0;
};

/// Sources of Op::IndexCheck, these seven for each dimension (index_checks.cpp). All
/// but index, extent and address are immediates; without an address it is 0.
enum IndexSource : uint8_t {
  kIndexAccess,
  kIndexDimension,
  kIndexSpace,
  kIndexKind,
  kIndexValue,
  kIndexExtent,
  kIndexAddress,
  kIndexSources,
};

/// One decoded instruction. Sources and destinations are in PTX order without the
/// address; vectors are flattened ({a, b, c, d} gives four operands). Branches have
/// none: `target`.
struct Instruction {
  Opcode opcode;
  uint32_t guard = kNone;      // predicate register of `@%p`
  bool guard_negated = false;  // `@!%p`
  std::vector<Operand> destinations, sources;
  Address address;
  Address source_address;  // cp.async: where it reads in global memory

  uint32_t target = kNone;  // bra: instruction index; call: function index (direct)
  std::vector<uint32_t> targets;  // brx.idx table; possible callees of an indirect call
  /// Where the paths of a divergent branch join: instruction index of the branch
  /// block's immediate post-dominator, or kNone for "at function exit". Set on every
  /// conditional branch (and brx).
  uint32_t join = kNone;
  /// The guard / address is the same in all lanes of any warp (static analysis).
  bool uniform = false;

  /// ld.param of a kernel or function parameter, st.param / ld.param of a call
  /// sequence: `parameter` indexes Function::parameters / returns (own) or the slot of
  /// the enclosing call; address.offset is the byte offset within it and
  /// `parameter_offset` that of the parameter in its buffer (own parameters, own
  /// returns, arguments, returns). A ld.param with kind None has an address in a
  /// register: an offset in the own parameter buffer.
  enum class ParameterKind : uint8_t { None, Own, OwnReturn, CallArgument, CallReturn };
  ParameterKind parameter_kind = ParameterKind::None;
  uint32_t parameter = kNone;
  uint32_t parameter_offset = 0;

  /// A check of indices, or what only such checks need: the kernel has none of it.
  bool only_checks = false;

  uint32_t position = kNone;  // index into Module::positions (source line), or kNone
  uint32_t ptx_line = 0;      // line in the PTX text, from 1
};

/// A source position with its inlining chain: `inlined_at` is the position of the call.
struct Position {
  uint32_t file = kNone;  // index into Module::files
  uint32_t line = 0, column = 0;
  uint32_t inlined_at = kNone;  // index into Module::positions
  uint32_t function = kNone;    // inlined function: index into Module::inlined_names
};

struct Register {
  std::string name;  // "%r17"
  Type type = Type::None;
};

/// Parameter of a kernel or function, laid out as the driver expects it.
struct Parameter {
  std::string name;
  Type type = Type::None;  // B8 with count > 1 for a struct passed by value
  uint32_t offset = 0, size = 0, alignment = 1;
  bool array = false;  // declared with []: an index counts values of `type`
};

/// A maximal straight run [begin, end) of instructions.
struct BasicBlock {
  uint32_t begin = 0, end = 0;
  std::vector<uint32_t> successors;  // block indices
  uint32_t post_dominator = kNone;   // immediate; kNone is the function's exit
};

/// A variable in global, const, shared or local space.
struct Variable {
  std::string name;     // as in the PTX (mangled)
  std::string display;  // for people: "tile" for _ZZ4gemmE4tile
  Space space = Space::Global;
  Type type = Type::B8;
  uint64_t size = 0;
  uint32_t alignment = 1;
  bool array = false;  // declared with []: an index counts values of `type`
  /// .extern .shared: dynamic shared memory. It starts behind the launched entry's
  /// shared_bytes, rounded up to its shared_alignment; `offset` is 0.
  bool external = false;
  bool managed = false;  // .attribute(.managed)
  /// Shared: byte offset in the block's shared memory. Local: offset in the thread's
  /// frame of its function. Global and const: unused (the loader places them).
  uint64_t offset = 0;
  std::vector<uint8_t> initial;  // shorter than size: the rest is zero
  /// Addresses inside `initial`: 8 bytes at `offset` become the address of a variable
  /// or function plus `addend`; `generic` asks for a generic address.
  struct Relocation {
    uint64_t offset;
    bool function;
    uint32_t index;
    int64_t addend;
    bool generic;
  };
  std::vector<Relocation> relocations;
};

struct Function {
  std::string name;     // as in the PTX
  std::string display;  // demangled, without the argument list
  bool entry = false;
  bool external = false;  // declared only: vprintf, malloc, free, __assertfail
  std::vector<Parameter> parameters, returns;
  uint32_t parameter_bytes = 0, return_bytes = 0;
  /// Largest argument and return buffers of the calls made by this function.
  uint32_t call_argument_bytes = 0, call_return_bytes = 0;
  std::vector<Register> registers;
  std::vector<uint32_t> own_variables;  // declared in the body: Module::variables
  std::vector<Instruction> instructions;
  std::vector<BasicBlock> blocks;
  /// Instruction indices that are a `join` of some branch, sorted, unique.
  std::vector<uint32_t> joins;
  /// Registers that some path may read before any write, sorted.
  std::vector<uint32_t> maybe_undefined;
  uint32_t local_bytes = 0;   // .local frame of one thread
  uint32_t shared_bytes = 0;  // static shared memory, callees included (entries only)
  uint32_t shared_alignment = 16;
  uint32_t max_threads = 0;                  // .maxntid product, 0 when absent
  uint32_t required_threads[3] = {0, 0, 0};  // .reqntid
  uint32_t max_registers = 0;                // .maxnreg, 0 when absent
  bool uses_barrier = false, uses_fence = false, uses_atomics = false,
       uses_calls = false, uses_mbarrier = false, uses_copies = false;
};

struct Module {
  int version_major = 0, version_minor = 0;
  int target_sm = 0;  // 75 for sm_75
  bool debug = false;
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::vector<std::string> files;
  std::vector<Position> positions;
  std::vector<std::string> inlined_names;  // for people: "helper"

  /// Index of the function / variable named `name`, or kNone.
  uint32_t find_function(const std::string& name) const;
  uint32_t find_variable(const std::string& name) const;
};

}  // namespace minitorch::ptx
