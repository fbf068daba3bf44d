#include "simt/program/print.h"

#include <algorithm>
#include <iomanip>
#include <iterator>
#include <sstream>

#include "base/error.h"
#include "base/text.h"
#include "ptx/opcode_table.h"
#include "simt/program/passes.h"

namespace minitorch::simt {
namespace {

/// In the order of Control.
constexpr const char* kControlNames[] = {
    "branch",         "branch_not",
    "jump",           "jump_table",
    "join",           "guard",
    "guard_not",      "unguard",
    "exit",           "call",
    "call_indirect",  "call_vprintf",
    "call_malloc",    "call_free",
    "call_assert",    "return",
    "trap",           "unsupported",
    "check_division", "check_index",
    "spin_hint",      "fence",
    "barrier",        "clock",
    "is_space",       "clear_pattern",
    "sign_extend_8",  "sign_extend_8",
    "sign_extend_16", "load_slot",
    "load_parameter", "start_copy",
    "commit_copies",  "next_copy",
    "again_copy",     "note_source",
    "check_sources",  "mbarrier_init",
    "mbarrier_inval", "mbarrier_arrive",
    "mbarrier_test",  "mbarrier_pending",
    "copy_arrive",    "store_slot",
};
static_assert(std::size(kControlNames) == static_cast<size_t>(Control::StoreSlot) + 1);

/// In the order of PoisonStep.
constexpr const char* kShadowSteps[] = {"any",    "upward", "merge",   "and", "or",
                                        "select", "pass",   "divided", "use", "forget"};
static_assert(std::size(kShadowSteps) == static_cast<size_t>(PoisonStep::Forget) + 1);

constexpr const char* kProbes[] = {
#define PROBE(name, finder, observer) #finder,
#include "simt/observing/probes.inc"
#undef PROBE
};

constexpr const char* kSpaces[] = {"generic", "global", "shared",
                                   "local",   "const",  "param"};

/// As in PTX, with the types that matter, for operations that the emulator made.
std::string opcode_text(const ptx::Opcode& opcode) {
  if (!opcode.text.empty()) return opcode.text;
  const std::string_view all = ptx::row_of(opcode.op).mnemonics;
  std::string text(all.substr(0, all.find(' ')));
  if (opcode.type != ptx::Type::None) text += std::string(".") + type_name(opcode.type);
  if (opcode.source_type != opcode.type) {
    text += std::string(".") + type_name(opcode.source_type);
  }
  return text;
}

class Listing {
 public:
  explicit Listing(const WarpProgram& program) : program_(program) {}
  std::string make();

 private:
  void begin_line(uint32_t instruction);
  void write(const WarpOp& op);
  void write_values(const std::vector<Value>& values);
  void write_name(const WarpOp& op);
  void write_access(const WarpOp& op);
  void write_target(const WarpOp& op);
  void write_notes(const WarpOp& op);
  void write_constant(uint32_t instruction);
  void write_group(uint32_t instruction);
  void write_steps();
  uint32_t line_of(uint32_t instruction) const;

  const WarpProgram& program_;
  std::ostringstream out_;
};

uint32_t Listing::line_of(uint32_t instruction) const {
  const auto& all = program_.function.instructions;
  return instruction < all.size() ? all[instruction].ptx_line : 0;
}

void Listing::begin_line(uint32_t instruction) {
  const uint32_t line = line_of(instruction);
  out_ << std::setw(5);
  if (line == 0) {
    out_ << "end"
         << " | ";
  } else {
    out_ << line << " | ";
  }
}

void Listing::write_values(const std::vector<Value>& values) {
  const char* separator = "";
  for (Value value : values) {
    if (!value) continue;
    out_ << separator << program_.values.text(value);
    separator = ", ";
  }
}

void Listing::write_access(const WarpOp& op) {
  if (op.access == ptx::kNone && !op.address) return;
  if (op.access != ptx::kNone) {
    const MemoryForm& form = program_.code.accesses[op.access];
    out_ << '.' << kSpaces[static_cast<size_t>(form.space)] << ".b" << 8 * form.bytes;
    if (form.vector > 1) out_ << 'x' << int{form.vector};
  }
  out_ << " [" << program_.values.text(op.address);
  if (op.offset != 0) out_ << std::showpos << op.offset << std::noshowpos;
  out_ << ']';
}

void Listing::write_name(const WarpOp& op) {
  constexpr const char* kAccesses[] = {"load", "store", "atomic"};
  switch (op.kind) {
    case WarpOp::Kind::Lane:
      out_ << opcode_text(op.opcode);
      return;
    case WarpOp::Kind::Collective:
      out_ << "warp " << opcode_text(op.opcode);
      return;
    case WarpOp::Kind::ShadowedShuffle:
      out_ << "warp shadowed " << opcode_text(op.opcode);
      return;
    case WarpOp::Kind::Product:
      out_ << "warp product " << opcode_text(op.opcode);
      return;
    case WarpOp::Kind::MatrixAddress:
    case WarpOp::Kind::FragmentAddress:
      out_ << "warp address of part " << op.element << " of " << opcode_text(op.opcode);
      return;
    case WarpOp::Kind::Access:
      out_ << kAccesses[static_cast<size_t>(program_.code.accesses[op.access].kind)];
      return;
    case WarpOp::Kind::Control:
      out_ << kControlNames[static_cast<size_t>(op.control)];
      return;
    case WarpOp::Kind::Probe:
      out_ << "probe " << kProbes[static_cast<size_t>(op.probe)];
      return;
    case WarpOp::Kind::Definedness:
      out_ << "shadow " << kShadowSteps[static_cast<size_t>(op.shadow)];
  }
}

void Listing::write_target(const WarpOp& op) {
  if (op.around) out_ << " past " << line_of(op.instruction + 1);
  if (op.target != ptx::kNone) {
    out_ << " to " << line_of(op.target);
    if (op.join != ptx::kNone) out_ << ", join at " << line_of(op.join);
  }
}

void Listing::write_notes(const WarpOp& op) {
  if (op.fused_triples != 0) out_ << "   ; one step with " << op.fused_triples;
  if (op.fused_triples != 0) out_ << " products and sums";
  if (op.forgets)
    out_ << "   ; forgets pattern of " << program_.values.text(op.forgets);
  if (op.replayed) out_ << "   ; replayed";
}

void Listing::write(const WarpOp& op) {
  begin_line(op.around ? op.instruction + 1 : op.instruction);
  // A probe has the operands of its access, which it only looks at.
  const bool defines = !definitions(op).empty();
  if (defines) {
    write_values(op.results);
    out_ << " = ";
  }
  write_name(op);
  write_access(op);
  const bool any = std::any_of(op.sources.begin(), op.sources.end(),
                               [](Value value) { return bool{value}; });
  if (any) out_ << (op.address ? ", " : " ");
  write_values(op.sources);
  write_target(op);
  write_notes(op);
  out_ << '\n';
}

void Listing::write_constant(uint32_t instruction) {
  const uint32_t reg = program_.instruction(instruction).destinations[0].index;
  begin_line(instruction);
  out_ << program_.values.declared(reg).name << " is "
       << program_.values.text(program_.values.known(reg)) << '\n';
}

void Listing::write_group(uint32_t instruction) {
  const WarpProgram::Group& group = program_.groups[instruction];
  for (const WarpOp& op : group.ops) write(op);
  if (instruction == program_.instruction_count()) return;
  if (group.needless) return write_constant(instruction);
  if (program_.expanded) return;
  begin_line(instruction);
  out_ << "(" << program_.instruction(instruction).opcode.text << ")\n";
}

void Listing::write_steps() {
  const auto field = [&](const char* name, uint32_t value) {
    if (value == kNoRow) {
      out_ << ' ' << name << "=none";
    } else if (value != 0) {
      out_ << ' ' << name << '=' << static_cast<int32_t>(value);
    }
  };
  for (size_t i = 0; i < program_.code.steps.size(); ++i) {
    const Step& step = program_.code.steps[i];
    begin_line(step.instruction);
    out_ << "step " << i << ':';
    field("d", step.d);
    field("a", step.a);
    field("b", step.b);
    field("c", step.c);
    field("d2", step.d2);
    field("e", step.e);
    if (step.immediate != 0) out_ << " immediate=" << step.immediate;
    field("pattern", step.pattern);
    field("clears_pattern", step.clears_pattern);
    out_ << '\n';
  }
  out_ << "a warp's registers take " << program_.code.frame_bytes << " bytes\n";
}

std::string Listing::make() {
  out_ << program_.function.display << (program_.function.entry ? " (entry)\n" : "\n");
  if (program_.code.steps.empty()) {
    for (uint32_t i = 0; i < program_.groups.size(); ++i) write_group(i);
  } else {
    write_steps();
  }
  return out_.str();
}

const Pass& find_pass(const std::string& name) {
  std::string names;
  for (const Pass& pass : passes()) {
    if (pass.name == name) return pass;
    names += (names.empty() ? "" : ", ") + std::string(pass.name);
  }
  throw base::StateError("ptx",
                         base::text("got pass '", name, "'; need one of ", names, "."));
}

uint32_t find_kernel(const ptx::Module& module, const std::string& name) {
  std::string names;
  for (uint32_t i = 0; i < module.functions.size(); ++i) {
    const ptx::Function& function = module.functions[i];
    if (!function.entry) continue;
    if (name.empty() || function.name == name || function.display == name) return i;
    names += (names.empty() ? "" : ", ") + function.display;
  }
  const std::string got = name.empty() ? "PTX" : "kernel '" + name + "'";
  const std::string need =
      names.empty() ? "a .visible .entry in it" : "one of " + names;
  throw base::StateError("ptx", base::text("got ", got, "; need ", need, "."));
}

}  // namespace

std::string program_text(const WarpProgram& program) { return Listing(program).make(); }

std::string program_text(const LoadedModule& module, const std::string& kernel,
                         uint32_t checks, const std::string& pass) {
  const Pass& wanted = find_pass(pass);
  const uint32_t function = find_kernel(*module.module, kernel);
  std::string text;
  lower_program(module, function, find_engine(active_isa()), checks,
                [&](const Pass& done, const WarpProgram& program) {
                  if (&done == &wanted) text += program_text(program);
                });
  return text;
}

}  // namespace minitorch::simt
