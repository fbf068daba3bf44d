// The grammar of declared names and their initial values; resolves nothing.
#include "base/text.h"
#include "ptx/opcode_table.h"
#include "ptx/parser.h"

namespace minitorch::ptx {

using syntax::Declaration;
using syntax::Initial;
using syntax::Storage;
using Kind = Token::Kind;

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

}  // namespace minitorch::ptx
