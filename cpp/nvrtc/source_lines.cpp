#include "nvrtc/source_lines.h"

#include <algorithm>
#include <cctype>

namespace minitorch::nvrtc {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Goes through C++ text once, as the preprocessor does: comments, strings, and lines
/// that a backslash at the end joins.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  /// Calls `directive(begin, end, words)` for each line that begins with '#', its words
  /// without comments, and `string(line, text)` for strings; those that stand behind
  /// one another are one.
  template <class OnDirective, class OnString>
  void run(const OnDirective& directive, const OnString& string) {
    while (!done()) {
      if (const size_t length = splice()) {
        pass(length);
      } else if (at("//") || at("/*")) {
        pass_comment(nullptr);
      } else if (text_[at_] == '\n') {
        fresh_ = true;
        pass(1);
      } else if (is_blank()) {
        pass(1);
      } else if (fresh_ && (text_[at_] == '#' || at("%:"))) {
        directive(at_, end_of_directive(), directive_words());
        pass(text_[at_] == '#' ? 1 : 2);
        end_string(string);
        fresh_ = false;
      } else {
        fresh_ = false;
        pass_token(string);
      }
    }
    end_string(string);
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  bool at(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  bool is_blank() const {
    return std::string_view(" \t\r\f\v").find(text_[at_]) != std::string_view::npos;
  }
  void pass(size_t count) {
    for (; count > 0 && !done(); --count) line_ += text_[at_++] == '\n';
  }

  /// A backslash at the end of a line joins it with the next; 0 where none is. The
  /// compiler lets blanks stand behind it.
  size_t splice() const {
    if (text_[at_] != '\\') return 0;
    const size_t end = text_.find_first_not_of(" \t\r", at_ + 1);
    return end != std::string_view::npos && text_[end] == '\n' ? end + 1 - at_ : 0;
  }

  /// To the end of the line or to the comment's own; `words` gets a blank for it.
  void pass_comment(std::string* words) {
    if (words) *words += ' ';
    if (at("/*")) {
      const size_t end = text_.find("*/", at_ + 2);
      return pass(end == std::string_view::npos ? text_.size() : end + 2 - at_);
    }
    while (!done() && text_[at_] != '\n') pass(std::max<size_t>(splice(), 1));
  }

  std::string directive_words() const {
    Walk ahead = *this;
    ahead.pass(text_[at_] == '#' ? 1 : 2);
    return ahead.rest_of_directive();
  }
  size_t end_of_directive() const {
    Walk ahead = *this;
    ahead.rest_of_directive();
    return ahead.at_;
  }
  std::string rest_of_directive() {
    std::string words;
    bool quoted = false;
    while (!done() && text_[at_] != '\n') {
      if (const size_t length = splice()) {
        pass(length);
      } else if (!quoted && (at("//") || at("/*"))) {
        pass_comment(&words);
      } else {
        if (text_[at_] == '"') quoted = !quoted;
        words += text_[at_];
        if (quoted && text_[at_] == '\\' && at_ + 1 < text_.size()) {
          pass(1);
          words += text_[at_];
        }
        pass(1);
      }
    }
    return words;
  }

  template <class OnString>
  void pass_token(const OnString& string) {
    if (text_[at_] == '"') return pass_string();
    const size_t begin = at_;
    if (text_[at_] == '\'') {
      end_string(string);
      return pass_character();
    }
    if (!in_word(text_[at_])) {
      end_string(string);
      return pass(1);
    }
    // A word or number; in a number ' stands between digits.
    const bool number = std::isdigit(static_cast<unsigned char>(text_[at_]));
    while (!done() && (in_word(text_[at_]) || (number && text_[at_] == '\''))) pass(1);
    const std::string_view word = text_.substr(begin, at_ - begin);
    const bool prefix = word == "u8" || word == "u" || word == "U" || word == "L";
    const bool raw = word.ends_with('R') && word.size() <= 3;
    if (!done() && text_[at_] == '"' && raw) return pass_raw_string();
    if (!done() && text_[at_] == '"' && prefix) return pass_string();
    end_string(string);
  }

  void pass_character() {
    pass(1);
    while (!done() && text_[at_] != '\n' && text_[at_] != '\'')
      pass(text_[at_] == '\\' ? std::max<size_t>(splice(), 2) : 1);
    if (!done() && text_[at_] == '\'') pass(1);
  }

  void pass_raw_string() {
    begin_string();
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return pass(1);
    const std::string end =
        ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const size_t close = text_.find(end, open);
    if (close == std::string_view::npos) return pass(text_.size());
    string_ += text_.substr(open + 1, close - open - 1);
    pass(close + end.size() - at_);
  }

  void pass_string() {
    begin_string();
    pass(1);
    while (!done() && text_[at_] != '\n' && text_[at_] != '"') {
      if (const size_t length = splice())
        pass(length);
      else if (text_[at_] == '\\')
        pass_escape();
      else {
        string_ += text_[at_];
        pass(1);
      }
    }
    if (!done() && text_[at_] == '"') pass(1);
  }

  void pass_escape() {
    pass(1);
    if (done()) return;
    const char letter = text_[at_];
    const auto number = [&](int base, size_t most) {
      const std::string digits(text_.substr(at_, most));
      const size_t count = std::min(
          digits.find_first_not_of(base == 8 ? "01234567" : "0123456789abcdefABCDEF"),
          digits.size());
      pass(count);
      if (count == 0) return;
      string_ += static_cast<char>(
          std::strtoul(digits.substr(0, count).c_str(), nullptr, base));
    };
    if (letter >= '0' && letter <= '7') return number(8, 3);
    pass(1);
    if (letter == 'x') return number(16, 8);
    if (letter == 'u') return number(16, 4);
    if (letter == 'U') return number(16, 8);
    string_ += letter == 'n' ? '\n' : letter == 't' ? '\t' : letter;
  }

  void begin_string() {
    if (string_line_ == 0) string_line_ = line_;
  }
  template <class OnString>
  void end_string(const OnString& string) {
    if (string_line_ > 0) string(string_line_, string_);
    string_line_ = 0;
    string_.clear();
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  bool fresh_ = true;    // nothing but blanks so far on this line
  int string_line_ = 0;  // of the string being read; 0: none
  std::string string_;
};

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t\r\f\v"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t\r\f\v") + 1);
}

/// Does a directive leave the lines where they are, or count them anew in an own file?
bool keeps_files(std::string_view words,
                 const std::function<bool(std::string_view)>& own) {
  words = trimmed(words);
  const bool line =
      words.starts_with("line") && (words.size() == 4 || !in_word(words[4]));
  if (line) words = trimmed(words.substr(4));
  const size_t digits = std::min(words.find_first_not_of("0123456789"), words.size());
  if (!line && digits == 0) return true;  // another directive
  if (digits == 0) return false;          // a macro's
  words = trimmed(words.substr(digits));
  if (words.empty()) return true;
  if (words.size() < 2 || words.front() != '"') return false;
  const size_t end = words.find('"', 1);
  return end != std::string_view::npos && own(words.substr(1, end - 1));
}

}  // namespace

std::string without_foreign_lines(std::string_view text,
                                  const std::function<bool(std::string_view)>& own) {
  std::string kept(text);
  Walk(text).run(
      [&](size_t begin, size_t end, const std::string& words) {
        if (keeps_files(words, own)) return;
        for (size_t at = begin; at < end; ++at)
          if (kept[at] != '\n') kept[at] = ' ';
      },
      [](int, const std::string&) {});
  return kept;
}

std::vector<int> lines_with_assembly_marks(std::string_view text) {
  std::vector<int> lines;
  Walk(text).run(
      [](size_t, size_t, const std::string&) {},
      [&](int line, const std::string& string) {
        for (const char* mark : {"// begin inline asm", "// end inline asm"}) {
          if (string.find(mark) == std::string::npos) continue;
          lines.push_back(line);
          break;
        }
      });
  return lines;
}

}  // namespace minitorch::nvrtc
