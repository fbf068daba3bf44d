// The grammar of function bodies.
#include "ptx/parser.h"

namespace minitorch::ptx {

using syntax::Statement;
using Kind = Token::Kind;

void Parser::parse_body(syntax::Function& function) {
  int open = 1;
  while (open > 0) {
    if (accept("{")) {
      ++open;
      function.body.emplace_back(syntax::ScopeBegin{});
    } else if (accept("}")) {
      if (--open > 0) function.body.emplace_back(syntax::ScopeEnd{});
    } else if (!accept(";") && !parse_statement(function.body)) {
      fail(lexer_.peek(), "an instruction or '}'");
    }
  }
}

bool Parser::parse_statement(std::vector<Statement>& body) {
  const Token& token = lexer_.peek();
  if (token.kind == Kind::Directive) {
    parse_directive_statement(body);
    return true;
  }
  if (token.kind == Kind::Word && lexer_.peek_next().symbol(":")) {
    parse_labelled(body);
    return true;
  }
  if (token.kind != Kind::Word && !token.symbol("@")) return false;
  body.emplace_back(parse_instruction());
  return true;
}

void Parser::parse_directive_statement(std::vector<Statement>& body) {
  const bool assembly = lexer_.peek().inline_assembly;
  if (accept_directive(".loc")) {
    const syntax::Location location = parse_location();
    // The line table is the compiler's; assembly cannot say that it stands elsewhere.
    if (!assembly) body.emplace_back(location);
    return;
  }
  if (accept_directive(".pragma")) return skip_pragma();
  std::vector<syntax::Declaration> declarations;
  parse_declarations(declarations, parse_linkage());
  for (auto& declaration : declarations) body.emplace_back(std::move(declaration));
}

// `label:`, or the name of a list of targets or of a prototype.
void Parser::parse_labelled(std::vector<Statement>& body) {
  const Token name = lexer_.take();
  expect(":");
  if (accept_directive(".branchtargets") || accept_directive(".calltargets")) {
    syntax::Targets targets{name.text, {}};
    do targets.names.push_back(expect_kind(Kind::Word, "a label or function").text);
    while (accept(","));
    expect(";");
    body.emplace_back(std::move(targets));
  } else if (accept_directive(".callprototype")) {
    syntax::Prototype prototype;
    prototype.name = name.text;
    if (lexer_.peek().symbol("(")) prototype.returns = parse_parameters();
    expect_kind(Kind::Word, "'_'");
    if (lexer_.peek().symbol("(")) prototype.parameters = parse_parameters();
    while (lexer_.peek().kind == Kind::Directive) {  // .noreturn, .abi_preserve n
      lexer_.take();
      if (lexer_.peek().kind == Kind::Number) lexer_.take();
    }
    expect(";");
    body.emplace_back(std::move(prototype));
  } else {
    body.emplace_back(syntax::Label{place_of(name), name.text});
  }
}

// .loc 1 4 17, function_name $L__info_string0, inlined_at 1 7 2
syntax::Location Parser::parse_location() {
  syntax::Location location;
  location.file = parse_count();
  location.line = parse_count();
  location.column = parse_count();
  while (accept(",")) {
    const Token what = expect_kind(Kind::Word, "function_name or inlined_at");
    if (what.text == "inlined_at") {
      location.is_inlined = true;
      for (uint32_t& part : location.inlined) part = parse_count();
    } else {
      location.function = expect_kind(Kind::Word, "a label").text;
      parse_offset();
    }
  }
  return location;
}

syntax::Instruction Parser::parse_instruction() {
  syntax::Instruction instruction;
  if (accept("@")) {
    instruction.guard_negated = accept("!");
    instruction.guard = expect_kind(Kind::Word, "a predicate register").text;
  }
  const Token opcode = expect_kind(Kind::Word, "an instruction");
  instruction.place = place_of(opcode);
  instruction.opcode = opcode.text;
  const bool call = opcode.text == "call" || opcode.text.starts_with("call.");
  if (accept(";")) return instruction;
  do instruction.operands.push_back(parse_operand(call));
  while (accept(","));
  expect(";");
  return instruction;
}

}  // namespace minitorch::ptx
