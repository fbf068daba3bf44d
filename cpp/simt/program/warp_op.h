// One operation of a warp as the passes see it: what it is, what it reads and what it
// defines, by name.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/program.h"
#include "simt/observing/probe.h"
#include "simt/program/engine.h"
#include "simt/program/poison_steps.h"

namespace minitorch::simt {

/// 32 lanes of 4 or 8 bytes, or a predicate: a number in Values. 0: none.
struct Value {
  uint32_t id = 0;

  explicit operator bool() const { return id != 0; }
  auto operator<=>(const Value&) const = default;
};

/// The buffers of a function's parameters and results, and of those it calls.
enum class Buffer : uint8_t { Parameters, Returns, Arguments, CallResults };

struct WarpOp {
  enum class Kind : uint8_t {
    Lane,             // `opcode`, in each lane for itself: results = sources
    Collective,       // `opcode`, the lanes together; sources[3] are the members
    ShadowedShuffle,  // the same, and the next operation names the shadows
    Product,          // of matrices: `opcode`, operands by MatrixStep `number`
    MatrixAddress,    // of ldmatrix's matrix `element`: results = sources[0] + offset
    FragmentAddress,  // of `element` of MatrixStep `number`; sources: base, stride
    Access,           // of memory: `access`, at `address` + `offset`
    Control,          // `control`
    Probe,            // `probe`: an observer looks at what comes next
    Definedness,      // `shadow` computes, or asks for, what is not defined
  };
  Kind kind = Kind::Control;
  Control control = Control::Unsupported;
  Probe probe{};
  PoisonStep shadow{};
  PoisonForm form;  // of Definedness
  ptx::Opcode opcode;

  /// Results are what the operation defines; of a probe or of Forget, what the access
  /// that it stands for does. A Value of 0 is an operand that is not there.
  std::vector<Value> results, sources;
  Value address;
  int64_t offset = 0;            // added to `address`, or in a buffer
  uint32_t access = ptx::kNone;  // FunctionCode::accesses
  bool delayed = false;          // Access: made for a copy that began earlier
  bool around = false;           // a branch around what its guard forbids
  bool negated = false;          // TraceStep: its guard is
  Buffer buffer{};               // LoadSlot, StoreSlot
  uint32_t bytes = 0;            // of a value in a buffer or of a clock

  uint32_t target = ptx::kNone;  // branches: an instruction
  uint32_t join = ptx::kNone;    // where the lanes of a branch come together again
  uint32_t number = 0;           // a table's, slot's, callee's, parameter's; flags
  uint32_t element = 0;
  int64_t immediate = 0;  // what the control or collective takes beside values

  uint32_t fused_triples = 0;  // this load and what follows run as one (fuse_dots)
  Value forgets;               // the address whose pattern it forgets
  bool replayed = false;       // part of what blocks run that follow from the first
  uint32_t instruction = 0;    // in ptx::Function::instructions

  bool is(Control which) const { return kind == Kind::Control && control == which; }
  bool is(Probe which) const { return kind == Kind::Probe && probe == which; }
};

/// What it writes. Probes look; only the one that follows shadows through local memory
/// writes those of a load.
std::vector<Value> definitions(const WarpOp& op);

/// A probe that only looks at an access or counts: it may move before operations that
/// do not write the address.
bool is_access_probe(const WarpOp& op);

}  // namespace minitorch::simt
