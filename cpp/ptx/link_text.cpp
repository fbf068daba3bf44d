#include "ptx/link_text.h"

#include <charconv>

#include "ptx/lexer.h"

namespace minitorch::ptx {
namespace {

class Copy {
 public:
  Copy(std::string_view piece, const Replacement& replacement,
       std::set<std::string_view>& used)
      : piece_(piece), replacement_(replacement), used_(used), lexer_(piece) {}

  std::string make() {
    bool entry = false, file_follows = false;
    while (lexer_.peek().kind != Token::Kind::End) {
      const Token token = lexer_.take();
      entry = entry || token.is(Token::Kind::Directive, ".entry");
      if (token.kind == Token::Kind::Word) {
        put_word(token);
      } else if (token.kind == Token::Kind::Number && file_follows) {
        put_file(token);
      } else if (token.symbol("{") && entry) {
        entry = false;  // the body begins: the last place for a directive
        if (replacement_.max_registers > 0) {
          copy_until(token.text.data());
          made_ += ".maxnreg " + std::to_string(replacement_.max_registers) + "\n";
        }
      }
      // `.loc file line column, ..., inlined_at file line column`
      file_follows =
          token.is(Token::Kind::Directive, ".loc") || token.word("inlined_at");
    }
    copy_until(piece_.data() + piece_.size());
    return std::move(made_);
  }

 private:
  void copy_until(const char* end) {
    made_.append(copied_, end);
    copied_ = end;
  }
  void replace(const Token& token, const std::string& with) {
    copy_until(token.text.data());
    made_ += with;
    copied_ += token.text.size();
  }
  void put_word(const Token& token) {
    used_.insert(token.text);
    const auto found = replacement_.names.find(token.text);
    if (found != replacement_.names.end()) replace(token, found->second);
  }
  void put_file(const Token& token) {
    uint32_t number = 0;
    std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
    replace(token, std::to_string(number + replacement_.first_file));
  }

  std::string_view piece_;
  const Replacement& replacement_;
  std::set<std::string_view>& used_;
  Lexer lexer_;
  const char* copied_ = piece_.data();
  std::string made_;
};

}  // namespace

std::string replaced(std::string_view piece, const Replacement& replacement,
                     std::set<std::string_view>& used) {
  return Copy(piece, replacement, used).make();
}

}  // namespace minitorch::ptx
