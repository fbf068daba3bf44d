// The way from the statements of one function to decoded instructions: names become
// indices, numbers bits.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/declarations.h"
#include "ptx/opcode_table.h"
#include "ptx/positions.h"
#include "ptx/program.h"
#include "ptx/symbol_table.h"
#include "ptx/syntax.h"

namespace minitorch::ptx {

/// What the functions of one module have in common while they are decoded.
struct DecodingModule {
  Module& module;
  ModuleNames names;
  PositionTable positions;
  /// Each spelling of an opcode is read once.
  std::unordered_map<std::string_view, Opcode> opcodes;
  bool index_checks = false;  // DecodeOptions
};

/// Decodes one function; the methods lie in body_decoder.cpp (statements),
/// decode_instruction.cpp, decode_operand.cpp, decode_element.cpp and decode_call.cpp.
class BodyDecoder {
 public:
  BodyDecoder(DecodingModule& shared, const syntax::Function& source,
              Function& function)
      : shared_(shared), source_(source), function_(function) {}
  void run();

 private:
  // body_decoder.cpp
  void declare_parameters();
  void load_register_parameters();
  void store_register_returns();
  void declare(const syntax::Declaration& declaration);
  void declare_registers(const syntax::Declaration& declaration);
  void take(const syntax::Instruction& source);
  void take(const syntax::Label& label);
  void take(const syntax::ScopeBegin&);
  void take(const syntax::ScopeEnd&);
  void take(const syntax::Declaration& declaration) { declare(declaration); }
  void take(const syntax::Location& location);
  void take(const syntax::Targets& targets);
  void take(const syntax::Prototype& prototype);
  void resolve_labels();
  void place_divisions();
  uint32_t find_label(std::string_view name, uint32_t scope, syntax::Place place) const;
  void end_with_return();

  // decode_instruction.cpp
  const Opcode& opcode_of(const syntax::Instruction& source);
  void decode_operands(const syntax::Instruction& source, Instruction& made);
  void complete_index_check(const syntax::Instruction& source, Instruction& made);
  void decode_branch(const syntax::Instruction& source, Instruction& made);
  void choose_pack(const syntax::Instruction& source, Instruction& made);
  size_t take_policy(const syntax::Instruction& source, const Opcode& opcode);
  bool names_predicate(const syntax::Operand& operand);
  void decode_by_signature(const syntax::Instruction& source, Instruction& made);
  void decode_slot(char letter, bool destination, const syntax::Operand& operand,
                   Instruction& made);

  // decode_operand.cpp
  Operand decode_value(const syntax::Operand& operand, Type type, bool wider,
                       bool destination);
  Operand decode_name(const syntax::Operand& operand, Type type, bool wider,
                      bool destination);
  Operand decode_global_name(const syntax::Operand& operand, Type type);
  void decode_vector(const syntax::Operand& operand, bool destination,
                     Instruction& made);
  void decode_fragment(Fragment fragment, bool destination,
                       const syntax::Operand& operand, Instruction& made);
  void decode_address(const syntax::Operand& operand, Instruction& made);
  void check_space(const Operand& base, const syntax::Operand& written,
                   const Opcode& opcode) const;
  void decode_parameter_access(const Symbol& symbol, const syntax::Operand& base,
                               Instruction& made);
  uint32_t register_of(Symbol& symbol, std::string_view name);
  void check_register(Type wanted, Type got, bool wider,
                      const syntax::Operand& operand) const;

  // decode_element.cpp
  struct Array {
    uint64_t count = 0;
    uint32_t element_bytes = 1;
  };
  Array find_array(const syntax::Operand& operand);
  syntax::Operand element_by_offset(const syntax::Operand& operand, const Array& array,
                                    uint64_t most) const;
  Operand decode_element(const syntax::Operand& operand, Type type);
  void decode_element_address(const syntax::Operand& operand, Instruction& made);
  Operand address_of_element(const syntax::Operand& operand, const Array& array,
                             Type type);
  Operand decode_index(const syntax::Operand& operand);
  Operand compute(const char* opcode, Type type, std::string name,
                  std::vector<Operand> sources);

  // decode_call.cpp
  struct CallParameter {
    Parameter shape;
    std::vector<uint32_t> stores;  // st.param instructions waiting for their call
    uint32_t slot = kNone;         // as a return value of the last call
    uint32_t offset = 0;
  };
  struct CallOperands {
    const std::vector<syntax::Operand>*returns = nullptr, *arguments = nullptr;
    const syntax::Operand *callee = nullptr, *candidates = nullptr;
  };
  void decode_call(const syntax::Instruction& source, Instruction made);
  CallOperands split_call(const syntax::Instruction& source);
  std::vector<Parameter> shapes_of(const std::vector<syntax::Operand>& operands,
                                   uint32_t& bytes);
  void bind_arguments(const std::vector<syntax::Operand>& operands,
                      const std::vector<Parameter>& shapes, const Instruction& call);
  void bind_returns(const std::vector<syntax::Operand>& operands,
                    const std::vector<Parameter>& shapes, const Instruction& call);
  void find_callees(const syntax::Operand* list,
                    const std::vector<Parameter>& arguments,
                    const std::vector<Parameter>& returns, Instruction& made);

  [[noreturn]] void fail(syntax::Place place, const std::string& what) const;

  DecodingModule& shared_;
  const syntax::Function& source_;
  Function& function_;
  SymbolTable symbols_;
  std::vector<CallParameter> call_parameters_;
  std::vector<syntax::Targets> targets_;
  std::vector<const syntax::Prototype*> prototypes_;
  uint32_t position_ = kNone;
  /// Instructions after a .loc of line 0, up to the next other one.
  std::vector<std::pair<uint32_t, uint32_t>> lineless_;
  uint32_t block_start_ = kNone;  // the instruction after the last label
  bool foreign_operand_ = false;  // the instruction names something we do not have
  const Instruction* current_ = nullptr;

  // Labels belong to the scope they stand in; branches look outwards.
  struct LabelUse {
    uint32_t instruction, scope;
    syntax::Place place;
    std::string_view name;
    bool table;  // brx.idx: `name` is a list of labels
  };
  std::vector<uint32_t> scope_parents_{kNone};
  uint32_t scope_ = 0;
  std::unordered_map<std::string_view, std::vector<std::pair<uint32_t, uint32_t>>>
      labels_;
  std::vector<LabelUse> label_uses_;
};

}  // namespace minitorch::ptx
