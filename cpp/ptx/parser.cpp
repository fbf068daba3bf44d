// Owns the grammar of PTX, by recursive descent: modules, declarations and their
// initial values, statements, operands. Must not know opcodes or resolve names.
#include "ptx/parser.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "ptx/decode.h"
#include "ptx/opcode_table.h"

namespace minitorch::ptx {

using syntax::Constant;
using syntax::Declaration;
using syntax::Initial;
using syntax::Statement;
using syntax::Storage;
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

namespace {

bool storage_of(std::string_view directive, Storage& storage) {
  if (directive == ".reg")
    storage = Storage::Register;
  else if (directive == ".param")
    storage = Storage::Parameter;
  else if (directive == ".global")
    storage = Storage::Global;
  else if (directive == ".const")
    storage = Storage::Const;
  else if (directive == ".shared")
    storage = Storage::Shared;
  else if (directive == ".local")
    storage = Storage::Local;
  else
    return false;
  return true;
}

constexpr uint64_t kMaxElements = uint64_t{1} << 40;

}  // namespace

// `.global .align 4 .f32 a[4] = {...}, b;` without what stands before the storage
// class.
void Parser::parse_declarations(std::vector<Declaration>& out,
                                syntax::Linkage linkage) {
  const Declaration head = parse_declaration_head(linkage);
  do {
    Declaration declaration = head;
    const Token name = expect_kind(Kind::Word, "a name");
    declaration.place = place_of(name);
    declaration.name = name.text;
    if (accept("<")) {
      declaration.range = parse_count();
      expect(">");
    }
    parse_dimensions(declaration);
    if (accept("=")) parse_initialiser(declaration);
    out.push_back(std::move(declaration));
  } while (accept(","));
  expect(";");
}

syntax::Declaration Parser::parse_declaration_head(syntax::Linkage linkage) {
  Declaration head;
  head.linkage = linkage;
  // Only .extern matters, and only for variables without a size.
  head.external = linkage != syntax::Linkage::Internal;
  const Token token = lexer_.take();
  head.place = place_of(token);
  if (token.kind != Kind::Directive || !storage_of(token.text, head.storage))
    fail(token, "one of .reg, .param, .global, .const, .shared, .local, .entry, .func");
  if (head.storage == Storage::Const && accept("[")) {  // a bank, obsolete
    parse_count();
    expect("]");
  }
  while (lexer_.peek().kind == Kind::Directive) parse_declaration_word(head);
  if (head.type == Type::None) fail(lexer_.peek(), "a type such as .f32");
  return head;
}

void Parser::parse_declaration_word(Declaration& head) {
  const Token token = lexer_.take();
  const std::string_view word = token.text.substr(1);
  Storage ignored;
  if (word == "align")
    head.alignment = parse_count();
  else if (word == "attribute")
    parse_attributes(head);
  else if (word == "v2")
    head.vector = 2;
  else if (word == "v4")
    head.vector = 4;
  else if (word == "texref" || word == "samplerref" || word == "surfref")
    head.type = Type::B64;  // an opaque handle
  else if (const Type type = find_type(word); type != Type::None)
    head.type = type;
  else if (word == "ptr") {
    // .param .u64 .ptr .global .align 4 p: facts about the pointee, of no use here
    if (storage_of(lexer_.peek().text, ignored)) lexer_.take();
    if (accept_directive(".align")) parse_count();
  } else {
    fail(token, "a type such as .f32, .align or .v2");
  }
  if ((head.alignment & (head.alignment - 1)) != 0)
    fail(token, "an alignment that is a power of two");
}

// .attribute(.managed), .attribute(.unified(1, 2))
void Parser::parse_attributes(Declaration& head) {
  expect("(");
  head.managed = lexer_.peek().is(Kind::Directive, ".managed");
  for (int depth = 1; depth > 0;) {
    const Token token = lexer_.take();
    if (token.kind == Kind::End) fail(token, "')'");
    if (token.symbol("(")) ++depth;
    if (token.symbol(")")) --depth;
  }
}

void Parser::parse_dimensions(Declaration& declaration) {
  while (accept("[")) {
    declaration.array = true;
    if (accept("]")) {
      declaration.unsized = true;
      declaration.dimensions.push_back(0);
      continue;
    }
    const Token token = lexer_.peek();
    const uint64_t size = parse_constant().bits;
    if (size > kMaxElements) fail(token, "an array of at most 2^40 elements");
    declaration.dimensions.push_back(size);
    expect("]");
  }
  for (uint64_t size : declaration.dimensions) {
    if (size != 0 && declaration.count > kMaxElements / size)
      fail(lexer_.peek(), "an array of at most 2^40 elements");
    declaration.count *= size;
  }
}

void Parser::parse_initialiser(Declaration& declaration) {
  if (lexer_.peek().symbol("{")) {
    parse_initial_list(declaration, 0, 0);
  } else {
    declaration.initial.push_back(parse_initial());
  }
  if (!declaration.unsized) return;
  declaration.unsized = false;  // a[] = {1, 2, 3} has the size of its initialiser
  uint64_t stride = 1;
  for (size_t d = 1; d < declaration.dimensions.size(); ++d)
    stride *= declaration.dimensions[d];
  const uint64_t last =
      declaration.initial.empty() ? 0 : declaration.initial.back().index;
  declaration.count = stride == 0 ? 0 : (last / stride + 1) * stride;
}

// {{1, 2}, {3}}: each inner list fills one sub-array, what is missing is zero.
void Parser::parse_initial_list(Declaration& declaration, size_t depth,
                                uint64_t first) {
  if (++depth_ > kMaxDepth) fail(lexer_.peek(), "less nesting");
  uint64_t stride = 1;
  for (size_t d = depth + 1; d < declaration.dimensions.size(); ++d)
    stride *= declaration.dimensions[d];
  expect("{");
  for (uint64_t at = first; !lexer_.peek().symbol("}");) {
    if (lexer_.peek().symbol("{")) {
      parse_initial_list(declaration, depth + 1, at);
      at += stride;
    } else {
      declaration.initial.push_back(parse_initial());
      declaration.initial.back().index = at++;
    }
    if (!accept(",")) break;
  }
  expect("}");
  --depth_;
}

// A constant, `sym`, `sym+4`, `generic(sym)+4`, or `0xFF00(sym)`: one byte of an
// address.
Initial Parser::parse_initial() {
  Initial initial;
  initial.place = place_of(lexer_.peek());
  if (lexer_.peek().kind != Kind::Word || lexer_.peek().text == "WARP_SZ") {
    initial.constant = parse_constant();
    if (!lexer_.peek().symbol("(")) return initial;
    initial.mask = initial.constant.bits;
    expect("(");
  }
  if (lexer_.peek().word("generic") && lexer_.peek_next().symbol("(")) {
    initial.generic = true;
    lexer_.take();
    expect("(");
  }
  initial.symbol = expect_kind(Kind::Word, "a name").text;
  initial.addend = parse_offset();
  if (initial.generic) {
    expect(")");
    initial.addend += parse_offset();
  }
  if (initial.mask != 0) expect(")");
  return initial;
}

std::vector<Declaration> Parser::parse_parameters() {
  std::vector<Declaration> parameters;
  expect("(");
  while (!lexer_.peek().symbol(")")) {
    Declaration parameter = parse_declaration_head(syntax::Linkage::Internal);
    const Token name = expect_kind(Kind::Word, "the name of a parameter");
    parameter.place = place_of(name);
    parameter.name = name.text;
    parse_dimensions(parameter);
    parameters.push_back(std::move(parameter));
    if (!accept(",")) break;
  }
  expect(")");
  return parameters;
}

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

syntax::Operand Parser::parse_operand(bool in_call) {
  const Token token = lexer_.peek();
  if (++depth_ > kMaxDepth) fail(token, "less nesting");
  syntax::Operand operand;
  if (token.symbol("{")) {
    operand = parse_list("{", "}", false);
    operand.kind = syntax::Operand::Kind::Vector;
  } else if (token.symbol("[")) {
    operand = parse_list("[", "]", false);
    operand.kind = syntax::Operand::Kind::Address;
    if (operand.elements.empty()) fail(token, "an address");
    operand.offset = std::exchange(operand.elements[0].offset, 0);
  } else if (token.symbol("(") && in_call) {
    operand = parse_list("(", ")", true);
    operand.kind = syntax::Operand::Kind::List;
  } else if (token.kind == Kind::Word && token.text != "WARP_SZ") {
    operand = parse_name();
  } else if (token.symbol("!") && lexer_.peek_next().kind == Kind::Word) {
    lexer_.take();
    operand = parse_name();
    operand.negated = true;
  } else {
    operand.kind = syntax::Operand::Kind::Constant;
    operand.constant = parse_constant();
  }
  operand.place = place_of(token);
  if (accept("|")) {
    syntax::Operand pair;
    pair.kind = syntax::Operand::Kind::Pair;
    pair.place = operand.place;
    pair.elements.push_back(std::move(operand));
    pair.elements.push_back(parse_operand(false));
    operand = std::move(pair);
  }
  --depth_;
  return operand;
}

syntax::Operand Parser::parse_name() {
  syntax::Operand operand;
  operand.name = lexer_.take().text;
  operand.kind =
      operand.name == "_" ? syntax::Operand::Kind::Sink : syntax::Operand::Kind::Name;
  if (lexer_.peek().symbol("["))
    parse_index(operand);
  else
    operand.offset = parse_offset();
  return operand;
}

// The `[%r3 + 1]` or `[4]` behind the name of an array.
void Parser::parse_index(syntax::Operand& array) {
  expect("[");
  const Token token = lexer_.peek();
  syntax::Operand index;
  index.place = place_of(token);
  if (token.kind == Kind::Word && token.text != "WARP_SZ") {
    index.name = lexer_.take().text;
    array.offset = parse_offset();
  } else {
    index.kind = syntax::Operand::Kind::Constant;
    index.constant = parse_constant();
  }
  expect("]");
  array.kind = syntax::Operand::Kind::Element;
  array.elements.push_back(std::move(index));
}

syntax::Operand Parser::parse_list(std::string_view open, std::string_view close,
                                   bool in_call) {
  syntax::Operand list;
  expect(open);
  while (!lexer_.peek().symbol(close)) {
    if (lexer_.peek().kind == Kind::Directive) {
      lexer_.take();  // .attribute(.managed)
    } else {
      list.elements.push_back(parse_operand(in_call));
    }
    if (!accept(",")) break;
  }
  expect(close);
  return list;
}

// `+4`, `-4`, `+-4` or nothing.
int64_t Parser::parse_offset() {
  constexpr int kProduct = 10;
  uint64_t sum = 0;
  while (lexer_.peek().symbol("+") || lexer_.peek().symbol("-")) {
    const bool minus = lexer_.take().symbol("-");
    const uint64_t term = parse_constant(kProduct).bits;
    sum = minus ? sum - term : sum + term;
  }
  return static_cast<int64_t>(sum);
}

namespace {

// Binary operators from the loosest level to the tightest; each stands between blanks.
int precedence(std::string_view op) {
  static constexpr std::string_view kLevels[] = {
      " || ",    " && ",        " | ",     " ^ ",   " & ",
      " == != ", " < > <= >= ", " << >> ", " + - ", " * / % "};
  for (size_t level = 0; level < std::size(kLevels); ++level)
    for (size_t at = 0; (at = kLevels[level].find(op, at)) != std::string_view::npos;
         ++at)
      if (kLevels[level][at - 1] == ' ' && kLevels[level][at + op.size()] == ' ')
        return static_cast<int>(level) + 1;
  return -1;
}

// 64-bit, signed; wraps like the hardware. False for a division by zero.
bool divide(std::string_view op, uint64_t a, uint64_t b, uint64_t& result) {
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  if (b == 0) return false;
  if (y == -1)
    result = op == "/" ? uint64_t{0} - a : 0;
  else
    result = static_cast<uint64_t>(op == "/" ? x / y : x % y);
  return true;
}

uint64_t apply(std::string_view op, uint64_t a, uint64_t b) {
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  if (op == "||") return a || b;
  if (op == "&&") return a && b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "&") return a & b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return x < y;
  if (op == ">") return x > y;
  if (op == "<=") return x <= y;
  if (op == ">=") return x >= y;
  if (op == "<<") return b < 64 ? a << b : 0;
  if (op == ">>") return static_cast<uint64_t>(x >> (b < 64 ? b : 63));
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  return a * b;
}

Constant integer(uint64_t bits) { return {Constant::Form::Integer, bits}; }

}  // namespace

Constant Parser::parse_constant(int least) {
  if (++depth_ > kMaxDepth) fail(lexer_.peek(), "less nesting");
  Constant left = parse_primary();
  while (lexer_.peek().kind == Kind::Symbol) {
    const Token op = lexer_.peek();
    const int level = precedence(op.text);
    if (level < 0 || level < least || left.form != Constant::Form::Integer) break;
    // `|` after an operand is the p|q of a destination when a name follows.
    if (op.text == "|" && lexer_.peek_next().kind == Kind::Word) break;
    lexer_.take();
    const Constant right = parse_constant(level + 1);
    if (right.form != Constant::Form::Integer) fail(op, "integers on both sides");
    if (op.text != "/" && op.text != "%")
      left.bits = apply(op.text, left.bits, right.bits);
    else if (!divide(op.text, left.bits, right.bits, left.bits))
      fail(op, "a divisor that is not zero");
  }
  if (least == 0 && lexer_.peek().symbol("?")) {
    lexer_.take();
    const Constant yes = parse_constant();
    expect(":");
    const Constant no = parse_constant();
    left = left.bits != 0 ? yes : no;
  }
  --depth_;
  return left;
}

Constant Parser::parse_primary() {
  constexpr int kUnary = 11;
  const Token token = lexer_.take();
  if (token.symbol("(")) {
    if (lexer_.peek().is(Kind::Directive, ".s64") ||
        lexer_.peek().is(Kind::Directive, ".u64")) {
      lexer_.take();
      expect(")");
      return parse_constant(kUnary);
    }
    const Constant inner = parse_constant();
    expect(")");
    return inner;
  }
  if (token.symbol("-")) {
    Constant value = parse_constant(kUnary);
    if (value.form == Constant::Form::Integer) return integer(uint64_t{0} - value.bits);
    value.bits ^=
        value.form == Constant::Form::Single ? uint64_t{1} << 31 : uint64_t{1} << 63;
    return value;
  }
  if (token.symbol("+")) return parse_constant(kUnary);
  if (token.symbol("~")) return integer(~parse_constant(kUnary).bits);
  if (token.symbol("!")) return integer(parse_constant(kUnary).bits == 0);
  if (token.word("WARP_SZ")) return integer(32);
  Constant value;
  if (token.kind != Kind::Number || !parse_number(token.text, value))
    fail(token, "a number");
  return value;
}

uint32_t Parser::parse_count() {
  const Token token = lexer_.peek();
  const Constant value = parse_constant(9);
  if (value.form != Constant::Form::Integer || value.bits > 0x7fffffffu)
    fail(token, "an integer from 0 to 2147483647");
  return static_cast<uint32_t>(value.bits);
}

bool parse_number(std::string_view text, Constant& value) {
  const auto parse = [&](std::string_view digits, int base) {
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value.bits, base);
    return result.ec == std::errc{} && result.ptr == end;
  };
  const char kind = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  if (kind == 'f' || kind == 'F') {
    value.form = Constant::Form::Single;
    return text.size() == 10 && parse(text.substr(2), 16);
  }
  if (kind == 'd' || kind == 'D') {
    value.form = Constant::Form::Double;
    return text.size() == 18 && parse(text.substr(2), 16);
  }
  value.form = Constant::Form::Integer;
  const bool hexadecimal = kind == 'x' || kind == 'X';
  if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    value = {Constant::Form::Double, std::bit_cast<uint64_t>(number)};
    return result.ec == std::errc{} && result.ptr == end;
  }
  if (text.size() > 1 && (text.back() == 'U' || text.back() == 'u'))
    text.remove_suffix(1);
  if (hexadecimal) return parse(text.substr(2), 16);
  if (kind == 'b' || kind == 'B') return parse(text.substr(2), 2);
  return parse(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
}

}  // namespace minitorch::ptx
