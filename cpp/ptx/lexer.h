// The cutting of PTX text into tokens; knows no grammar.
#pragma once

#include <cstdint>
#include <string_view>

namespace minitorch::ptx {

struct Token {
  enum class Kind : uint8_t {
    End,
    Word,       // add.s32, %tid.x, $L__BB0_1, _
    Directive,  // .reg
    Number,     // 12, 0x1F, 0f3F800000, 1.5e3
    String,     // the text between the quotes
    Symbol,     // one character, or one of << >> <= >= == != && ||
  };
  Kind kind = Kind::End;
  std::string_view text;
  uint32_t line = 1, column = 1;  // from 1
  /// Between the comments that the compiler writes around the text of an asm statement.
  bool inline_assembly = false;

  bool is(Kind wanted, std::string_view spelling) const {
    return kind == wanted && text == spelling;
  }
  bool symbol(std::string_view spelling) const { return is(Kind::Symbol, spelling); }
  bool word(std::string_view spelling) const { return is(Kind::Word, spelling); }
};

/// Reads tokens one by one; two of them can be seen ahead.
class Lexer {
 public:
  /// `index_checks`: comments of inline assembly that begin with "minitorch.index" are
  /// no comments, but the instructions behind the two slashes.
  explicit Lexer(std::string_view text, bool index_checks = false);

  const Token& peek() const { return current_; }
  const Token& peek_next() const { return next_; }
  Token take();
  /// Just behind the last token taken.
  const char* taken_end() const { return taken_end_; }

  /// Skips everything up to the `}` that closes the `{` just taken.
  void skip_braces();

 private:
  Token read();
  void read_string(Token& token);
  void skip_blanks();
  bool at_index_check() const;
  void skip_line_comment();
  void new_line(size_t at);
  size_t word_end(size_t from) const;
  size_t number_end(size_t from) const;

  std::string_view text_;
  bool index_checks_;
  size_t at_ = 0, line_start_ = 0;
  uint32_t line_ = 1;
  bool inline_assembly_ = false;
  const char* taken_end_ = nullptr;
  Token current_, next_;
};

}  // namespace minitorch::ptx
