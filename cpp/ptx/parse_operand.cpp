// The grammar of operands and constant expressions; resolves no name.
#include <bit>
#include <charconv>
#include <iterator>
#include <utility>

#include "ptx/parser.h"

namespace minitorch::ptx {

using syntax::Constant;
using Kind = Token::Kind;

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
