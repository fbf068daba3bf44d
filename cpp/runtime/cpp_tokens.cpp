#include "runtime/cpp_tokens.h"

#include <cctype>

namespace minitorch::runtime {
namespace {

bool word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool word_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Scanner {
 public:
  explicit Scanner(std::string_view code) : code_(code) {}

  Tokens run(std::vector<size_t>* ends = nullptr) {
    while (at_ < code_.size()) {
      directive_ = false;
      step();
      if (ends) ends->resize(tokens_.size(), directive_ ? std::string_view::npos : at_);
    }
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = code_[at_];
    if (c == '\n') {
      line_start_ = true;
      ++at_;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++at_;
    } else if (code_.substr(at_).starts_with("//")) {
      at_ = std::min(code_.find('\n', at_), code_.size());
    } else if (code_.substr(at_).starts_with("/*")) {
      const size_t end = code_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? code_.size() : end + 2;
    } else if (c == '#' && line_start_) {
      directive();
    } else {
      line_start_ = false;
      token(c);
    }
  }

  void token(char c) {
    if (c == '"' || c == '\'') {
      quoted(c);
    } else if (word_start(c)) {
      take_while(word_part);
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      take_while([](char d) { return word_part(d) || d == '.'; });
    } else if (code_.substr(at_).starts_with("::")) {
      tokens_.emplace_back("::");
      at_ += 2;
    } else {
      tokens_.emplace_back(1, c);
      ++at_;
    }
  }

  template <class Test>
  void take_while(Test test) {
    const size_t begin = at_;
    while (at_ < code_.size() && test(code_[at_])) ++at_;
    tokens_.emplace_back(code_.substr(begin, at_ - begin));
  }

  void quoted(char mark) {
    tokens_.emplace_back(1, mark);
    for (++at_; at_ < code_.size() && code_[at_] != mark; ++at_)
      if (code_[at_] == '\\') ++at_;
    ++at_;
  }

  void directive() {
    directive_ = true;
    size_t end = at_;
    while (end < code_.size() && code_[end] != '\n') end += code_[end] == '\\' ? 2 : 1;
    const std::string_view line = code_.substr(at_ + 1, end - at_ - 1);
    at_ = std::min(end, code_.size());
    Tokens parts = Scanner(line).run();
    if (parts.size() < 3 || parts[0] != "define" || parts[2] == "(") return;
    tokens_.insert(tokens_.end(), {"using", parts[1], "="});
    tokens_.insert(tokens_.end(), parts.begin() + 2, parts.end());
    tokens_.emplace_back(";");
  }

  std::string_view code_;
  size_t at_ = 0;
  bool line_start_ = true;
  bool directive_ = false;  // the last step was a preprocessor line
  Tokens tokens_;
};

int depth_change(const std::string& token) {
  if (token == "(" || token == "[" || token == "{" || token == "<") return 1;
  if (token == ")" || token == "]" || token == "}" || token == ">") return -1;
  return 0;
}

}  // namespace

Tokens cpp_tokens(std::string_view code) { return Scanner(code).run(); }

Tokens cpp_tokens(std::string_view code, std::vector<size_t>* ends) {
  return Scanner(code).run(ends);
}

size_t after_bracket(const Tokens& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    depth += depth_change(tokens[i]);
    if (depth == 0) return i + 1;
  }
  return tokens.size();
}

std::vector<Tokens> split_commas(const Tokens& tokens, size_t begin, size_t end) {
  std::vector<Tokens> parts;
  if (begin >= end) return parts;
  parts.emplace_back();
  int depth = 0;
  for (size_t i = begin; i < end; ++i) {
    depth += depth_change(tokens[i]);
    if (depth == 0 && tokens[i] == ",") {
      parts.emplace_back();
    } else {
      parts.back().push_back(tokens[i]);
    }
  }
  return parts;
}

bool is_word(const std::string& token) {
  return !token.empty() && word_start(token[0]);
}

std::string joined(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) {
    if (!text.empty() && word_part(text.back()) && word_part(token[0])) text += ' ';
    if (text.ends_with('*') && word_part(token[0])) text += ' ';
    text += token;
  }
  return text;
}

}  // namespace minitorch::runtime
