// The grammar outside of function bodies.
#include <algorithm>

#include "base/text.h"
#include "ptx/decode.h"
#include "ptx/parser.h"

namespace minitorch::ptx {

using syntax::Declaration;
using Kind = Token::Kind;

syntax::Module Parser::parse_module() {
  syntax::Module module;
  if (!lexer_.peek().is(Kind::Directive, ".version"))
    fail(lexer_.peek(), ".version at the start of a PTX module");
  while (lexer_.peek().kind != Kind::End) parse_module_directive(module);
  return module;
}

syntax::Linkage Parser::parse_linkage() {
  using syntax::Linkage;
  Linkage linkage = Linkage::Internal;
  for (;; lexer_.take()) {
    const Token& token = lexer_.peek();
    Linkage found = Linkage::Internal;
    if (token.is(Kind::Directive, ".visible")) found = Linkage::Visible;
    if (token.is(Kind::Directive, ".weak")) found = Linkage::Weak;
    if (token.is(Kind::Directive, ".common")) found = Linkage::Common;
    if (token.is(Kind::Directive, ".extern")) found = Linkage::Extern;
    if (found == Linkage::Internal) return linkage;
    linkage = std::max(linkage, found);
  }
}

void Parser::parse_module_directive(syntax::Module& module) {
  const char* const start = lexer_.peek().text.data();
  const syntax::Linkage linkage = parse_linkage();
  const auto statement = [&] {
    return std::string_view(start, static_cast<size_t>(lexer_.taken_end() - start));
  };
  if (accept(";")) return;
  const Token token = lexer_.peek();
  if (token.kind != Kind::Directive) fail(token, "a directive such as .visible .entry");
  if (accept_directive(".version")) return parse_version(module);
  if (accept_directive(".target")) return parse_target(module);
  if (accept_directive(".address_size")) {
    if (parse_count() != 64) fail(token, ".address_size 64");
    return;
  }
  if (accept_directive(".file")) return parse_file(module);
  if (accept_directive(".section")) return parse_section(module);
  if (accept_directive(".alias")) return parse_alias(module);
  if (accept_directive(".pragma")) return skip_pragma();
  if (accept_directive(".loc")) {
    parse_location();
    return;
  }
  const bool entry = token.is(Kind::Directive, ".entry");
  if (entry || token.is(Kind::Directive, ".func")) {
    lexer_.take();
    module.functions.push_back(parse_function(entry));
    module.functions.back().linkage = linkage;
    module.functions.back().statement = statement();
    return;
  }
  const size_t known = module.variables.size();
  parse_declarations(module.variables, linkage);
  for (size_t i = known; i < module.variables.size(); ++i)
    module.variables[i].statement = statement();
}

void Parser::parse_version(syntax::Module& module) {
  const Token token = expect_kind(Kind::Number, "a version such as 9.0");
  const size_t dot = token.text.find('.');
  const auto digits = [&](std::string_view part) {
    int value = 0;
    for (char c : part.substr(0, 4))
      if (c >= '0' && c <= '9') value = value * 10 + (c - '0');
    return value;
  };
  if (dot == std::string_view::npos) fail(token, "a version such as 9.0");
  module.version_major = digits(token.text.substr(0, dot));
  module.version_minor = digits(token.text.substr(dot + 1));
}

void Parser::parse_target(syntax::Module& module) {
  do {
    const Token token = expect_kind(Kind::Word, "a target such as sm_75");
    if (token.text == "debug") module.debug = true;
    const size_t digits = token.text.find('_') + 1;
    if (!token.text.starts_with("sm_") && !token.text.starts_with("compute_")) continue;
    module.target_sm = 0;
    for (char c : token.text.substr(digits, 4))
      if (c >= '0' && c <= '9') module.target_sm = module.target_sm * 10 + (c - '0');
  } while (accept(","));
}

void Parser::parse_file(syntax::Module& module) {
  const uint32_t number = parse_count();
  const Token name = expect_kind(Kind::String, "a file name in quotes");
  module.files.emplace_back(number, name.text);
  while (accept(",")) parse_count();  // time stamp, size
}

void Parser::parse_alias(syntax::Module& module) {
  const Token name = expect_kind(Kind::Word, "the name of a function");
  expect(",");
  module.aliases.emplace_back(name.text, expect_kind(Kind::Word, "a function").text);
  expect(";");
}

// Of the debug sections only the names of inlined functions matter.
void Parser::parse_section(syntax::Module& module) {
  const Token name = lexer_.take();
  expect("{");
  if (name.text != ".debug_str") return lexer_.skip_braces();
  while (!accept("}")) {
    const Token label = expect_kind(Kind::Word, "a label");
    expect(":");
    module.strings.emplace_back(label.text, parse_bytes());
  }
}

// .b8 lists up to the next label, as text up to the zero.
std::string Parser::parse_bytes() {
  std::string text;
  while (accept_directive(".b8")) {
    do text += static_cast<char>(parse_constant().bits);
    while (accept(","));
  }
  return text.substr(0, text.find('\0'));
}

syntax::Function Parser::parse_function(bool entry) {
  syntax::Function function;
  function.entry = entry;
  if (accept_directive(".attribute")) parse_list("(", ")", false);
  while (accept_directive(".noreturn")) {
  }
  if (!entry && lexer_.peek().symbol("(")) function.returns = parse_parameters();
  const Token name = expect_kind(Kind::Word, "the name of a function");
  function.place = place_of(name);
  function.name = name.text;
  if (lexer_.peek().symbol("(")) function.parameters = parse_parameters();
  parse_function_header(function);
  if (accept(";")) return function;
  expect("{");
  function.defined = true;
  parse_body(function);
  return function;
}

void Parser::parse_function_header(syntax::Function& function) {
  while (lexer_.peek().kind == Kind::Directive) {
    const Token directive = lexer_.take();
    if (directive.text == ".pragma") {
      skip_pragma();
    } else if (lexer_.peek().kind == Kind::Number) {
      parse_thread_limits(function, directive.text);
    }  // .noreturn, .explicitcluster and the like have no operands and no meaning here
  }
}

namespace {

uint32_t saturated_product(const uint32_t (&values)[3]) {
  uint64_t product = 1;
  for (uint32_t value : values)
    product = std::min<uint64_t>(product * value, 0xffffffffu);
  return static_cast<uint32_t>(product);
}

}  // namespace

void Parser::parse_thread_limits(syntax::Function& function,
                                 std::string_view directive) {
  uint32_t values[3] = {1, 1, 1};
  size_t count = 0;
  do {
    const uint32_t value = parse_count();
    if (count < 3) values[count++] = value;
  } while (accept(","));
  if (directive == ".maxntid") function.max_threads = saturated_product(values);
  if (directive == ".maxnreg")
    function.max_registers = function.max_registers == 0
                                 ? values[0]
                                 : std::min(function.max_registers, values[0]);
  if (directive == ".reqntid")
    for (int axis = 0; axis < 3; ++axis) function.required_threads[axis] = values[axis];
}

// Tokens.

bool Parser::accept(std::string_view symbol) {
  if (!lexer_.peek().symbol(symbol)) return false;
  lexer_.take();
  return true;
}

void Parser::expect(std::string_view symbol) {
  if (!accept(symbol)) fail(lexer_.peek(), base::text("'", symbol, "'"));
}

bool Parser::accept_directive(std::string_view directive) {
  if (!lexer_.peek().is(Kind::Directive, directive)) return false;
  lexer_.take();
  return true;
}

Token Parser::expect_kind(Kind kind, const char* what) {
  if (lexer_.peek().kind != kind) fail(lexer_.peek(), what);
  return lexer_.take();
}

void Parser::skip_pragma() {
  do expect_kind(Kind::String, "a pragma in quotes");
  while (accept(","));
  accept(";");
}

void Parser::fail(const Token& token, const std::string& need) const {
  const bool end = token.kind == Kind::End;
  throw PtxError(token.line, token.column,
                 end ? base::text("got the end of the text; need ", need, ".")
                     : base::text("got '", token.text, "'; need ", need, "."),
                 false);
}

}  // namespace minitorch::ptx
