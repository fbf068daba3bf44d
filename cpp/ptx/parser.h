// The grammar of PTX: tokens to syntax tree.
#pragma once

#include <string>
#include <string_view>

#include "ptx/lexer.h"
#include "ptx/syntax.h"

namespace minitorch::ptx {

/// Recursive descent, one method for each thing of the grammar; the methods lie in
/// parse_module.cpp, parse_declaration.cpp, parse_statement.cpp, parse_operand.cpp.
class Parser {
 public:
  explicit Parser(std::string_view text, bool index_checks = false)
      : lexer_(text, index_checks) {}
  syntax::Module parse_module();

 private:
  // parse_module.cpp
  void parse_module_directive(syntax::Module& module);
  syntax::Linkage parse_linkage();
  void parse_version(syntax::Module& module);
  void parse_target(syntax::Module& module);
  void parse_file(syntax::Module& module);
  void parse_alias(syntax::Module& module);
  void parse_section(syntax::Module& module);
  std::string parse_bytes();
  syntax::Function parse_function(bool entry);
  void parse_function_header(syntax::Function& function);
  void parse_thread_limits(syntax::Function& function, std::string_view directive);

  // parse_declaration.cpp
  void parse_declarations(std::vector<syntax::Declaration>& out,
                          syntax::Linkage linkage);
  syntax::Declaration parse_declaration_head(syntax::Linkage linkage);
  void parse_declaration_word(syntax::Declaration& declaration);
  void parse_attributes(syntax::Declaration& declaration);
  void parse_dimensions(syntax::Declaration& declaration);
  void parse_initialiser(syntax::Declaration& declaration);
  void parse_initial_list(syntax::Declaration& declaration, size_t depth,
                          uint64_t first);
  syntax::Initial parse_initial();
  std::vector<syntax::Declaration> parse_parameters();

  // parse_statement.cpp
  void parse_body(syntax::Function& function);
  bool parse_statement(std::vector<syntax::Statement>& body);
  void parse_directive_statement(std::vector<syntax::Statement>& body);
  void parse_labelled(std::vector<syntax::Statement>& body);
  syntax::Location parse_location();
  syntax::Instruction parse_instruction();

  // parse_operand.cpp
  syntax::Operand parse_operand(bool in_call);
  syntax::Operand parse_name();
  void parse_index(syntax::Operand& array);
  syntax::Operand parse_list(std::string_view open, std::string_view close,
                             bool in_call);
  int64_t parse_offset();
  syntax::Constant parse_constant(int least_precedence = 0);
  syntax::Constant parse_primary();
  uint32_t parse_count();

  // Tokens.
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol);
  bool accept_directive(std::string_view directive);
  Token expect_kind(Token::Kind kind, const char* what);
  void skip_pragma();
  [[noreturn]] void fail(const Token& token, const std::string& need) const;
  static syntax::Place place_of(const Token& token) {
    return {token.line, token.column};
  }

  Lexer lexer_;
  int depth_ = 0;  // of nested parentheses and braces, bounded
  static constexpr int kMaxDepth = 100;
};

/// The value of a number token; false when it is none.
bool parse_number(std::string_view text, syntax::Constant& value);

}  // namespace minitorch::ptx
