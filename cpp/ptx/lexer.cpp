#include "ptx/lexer.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "ptx/decode.h"

namespace minitorch::ptx {
namespace {

enum CharClass : uint8_t { kOther = 0, kDigit = 1, kLetter = 2 };

// Letters are everything that may stand in a name besides digits.
constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kLetter;
  for (char c : {'_', '$', '%'}) classes[static_cast<uint8_t>(c)] = kLetter;
  return classes;
}
constexpr auto kClasses = make_classes();

uint8_t class_of(char c) { return kClasses[static_cast<uint8_t>(c)]; }
bool in_name(char c) { return class_of(c) != kOther; }

}  // namespace

Lexer::Lexer(std::string_view text, bool index_checks)
    : text_(text), index_checks_(index_checks) {
  current_ = read();
  next_ = read();
}

Token Lexer::take() {
  Token taken = current_;
  taken_end_ = taken.text.data() + taken.text.size();
  current_ = next_;
  next_ = read();
  return taken;
}

void Lexer::skip_braces() {
  for (int depth = 1; depth > 0;) {
    const Token token = take();
    if (token.kind == Token::Kind::End)
      throw PtxError(token.line, token.column, "got the end of the text; need '}'.",
                     false);
    if (token.symbol("{")) ++depth;
    if (token.symbol("}")) --depth;
  }
}

void Lexer::new_line(size_t at) {
  ++line_;
  line_start_ = at + 1;
}

bool Lexer::at_index_check() const {
  constexpr std::string_view kCheck = "// minitorch.index.";
  return index_checks_ && inline_assembly_ &&
         text_.substr(at_, kCheck.size()) == kCheck;
}

void Lexer::skip_line_comment() {
  const size_t start = at_;
  at_ = std::min(text_.find('\n', at_), text_.size());
  std::string_view comment = text_.substr(start, at_ - start);
  if (comment.ends_with('\r')) comment.remove_suffix(1);
  const bool begins = comment == "// begin inline asm";
  if (!begins && comment != "// end inline asm") return;
  if (begins == inline_assembly_)
    throw PtxError(line_, static_cast<uint32_t>(start - line_start_ + 1),
                   base::text("got '", comment, "'", begins ? " within" : " without",
                              " inline assembly; need the compiler's own marks, and "
                              "none in the assembly's text."),
                   false);
  inline_assembly_ = begins;
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '\n') {
      new_line(at_++);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '/' && after == '/') {
      if (at_index_check()) {
        at_ += 3;
        return;
      }
      skip_line_comment();
    } else if (c == '/' && after == '*') {
      const size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos)
        throw PtxError(line_, static_cast<uint32_t>(at_ - line_start_ + 1),
                       "got a comment without an end; need '*/'.", false);
      for (; at_ < end + 2; ++at_)
        if (text_[at_] == '\n') new_line(at_);
    } else {
      return;
    }
  }
}

// Names may hold dots and `::` between letters: ld.shared::cta.u32, %tid.x.
size_t Lexer::word_end(size_t from) const {
  size_t end = from;
  while (end < text_.size()) {
    if (in_name(text_[end])) {
      ++end;
    } else if (text_[end] == '.' && end + 1 < text_.size() && in_name(text_[end + 1])) {
      end += 2;
    } else if (text_.substr(end, 2) == "::" && end + 2 < text_.size() &&
               in_name(text_[end + 2])) {
      end += 3;
    } else {
      break;
    }
  }
  return end;
}

size_t Lexer::number_end(size_t from) const {
  size_t end = from;
  const bool hexadecimal =
      text_[from] == '0' && from + 1 < text_.size() &&
      std::string_view("xXfFdD").find(text_[from + 1]) != std::string_view::npos;
  while (end < text_.size()) {
    const char c = text_[end];
    const bool sign = (c == '+' || c == '-') && !hexadecimal && end > from &&
                      (text_[end - 1] == 'e' || text_[end - 1] == 'E');
    if (!in_name(c) && c != '.' && !sign) break;
    ++end;
  }
  return end;
}

void Lexer::read_string(Token& token) {
  const size_t start = at_ + 1;
  size_t end = start;
  // A backslash takes the character behind it along: file names may hold quotes.
  while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size())
    throw PtxError(token.line, token.column,
                   "got a string without an end; need a closing '\"'.", false);
  for (size_t i = start; i < end; ++i)
    if (text_[i] == '\n') new_line(i);
  token.kind = Token::Kind::String;
  token.text = text_.substr(start, end - start);
  at_ = end + 1;
}

Token Lexer::read() {
  skip_blanks();
  Token token;
  token.line = line_;
  token.column = static_cast<uint32_t>(at_ - line_start_ + 1);
  token.inline_assembly = inline_assembly_;
  if (at_ >= text_.size()) return token;
  const size_t start = at_;
  const char c = text_[at_];
  const bool name_follows = at_ + 1 < text_.size() && in_name(text_[at_ + 1]);
  if (class_of(c) == kLetter && (c != '%' || name_follows)) {
    token.kind = Token::Kind::Word;
    at_ = word_end(at_);
  } else if (class_of(c) == kDigit) {
    token.kind = Token::Kind::Number;
    at_ = number_end(at_);
  } else if (c == '.' && name_follows) {
    token.kind = Token::Kind::Directive;
    for (++at_; at_ < text_.size() && in_name(text_[at_]);) ++at_;
  } else if (c == '"') {
    read_string(token);
    return token;
  } else {
    token.kind = Token::Kind::Symbol;
    const std::string_view pair = text_.substr(at_, 2);
    constexpr std::string_view kPairs = "<< >> <= >= == != && ||";
    at_ += pair.size() == 2 && pair[0] != ' ' && pair[1] != ' ' &&
                   kPairs.find(pair) != std::string_view::npos
               ? 2
               : 1;
  }
  token.text = text_.substr(start, at_ - start);
  return token;
}

}  // namespace minitorch::ptx
