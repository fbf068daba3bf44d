// The changes that are made to PTX texts: bytes, tokens, lines, numbers of directives,
// and pieces of other texts.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"

namespace fuzz {

/// Words with their dots and signs ("ld.global.u32", "%rd1"), numbers, single letters.
inline std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  const auto in_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' ||
           letter == '$' || letter == '%' || letter == '.';
  };
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (in_word(text[at])) {
      while (end < text.size() && in_word(text[end])) ++end;
    } else if (std::isspace(static_cast<unsigned char>(text[at]))) {
      while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end]))) {
        ++end;
      }
    }
    tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

template <class Pieces>
std::string joined(const Pieces& pieces) {
  std::string text;
  for (const auto& piece : pieces) text += piece;
  return text;
}

class Mutator {
 public:
  Mutator(Random& random, const std::vector<std::string>& corpus)
      : random_(random), corpus_(corpus) {}

  std::string mutated(const std::string& from) {
    std::string text = from;
    const uint64_t changes = random_.of({1, 1, 1, 2, 4});
    for (uint64_t i = changes; i > 0 && !text.empty(); --i) {
      switch (random_.below(12)) {
        case 0:
          change_byte(text);
          break;
        case 1:
          change_line(text);
          break;
        case 2:
          splice(text);
          break;
        case 3:
        case 4:
          change_number(text);
          break;
        case 5:
          change_suffix(text);
          break;
        case 6:
          change_token(text);
          break;
        default:
          swap_alike(text);
      }
    }
    return text;
  }

 private:
  std::string extreme() {
    return random_.of({"0",
                       "1",
                       "2",
                       "3",
                       "7",
                       "31",
                       "32",
                       "33",
                       "63",
                       "64",
                       "255",
                       "256",
                       "1023",
                       "1024",
                       "1025",
                       "4095",
                       "4096",
                       "65535",
                       "65536",
                       "1048575",
                       "1048576",
                       "1048577",
                       "16777216",
                       "134217728",
                       "2147483647",
                       "2147483648",
                       "4294967040",
                       "4294967295",
                       "4294967296",
                       "1099511627775",
                       "1099511627776",
                       "9223372036854775807",
                       "9223372036854775808",
                       "18446744073709551615",
                       "18446744073709551616",
                       "-1",
                       "-2147483648",
                       "0x7fffffffffffffff",
                       "0f7f800000",
                       "0f00000000",
                       "0d7ff0000000000000",
                       "1.5",
                       "1e400",
                       "0x",
                       "017777777777",
                       "99999999999999999999999999"});
  }

  void change_byte(std::string& text) {
    static const std::string letters = "{}[]()<>,;:.@!%|+-=_ \n\"/*0123456789abfrxUv$";
    const size_t at = random_.below(text.size());
    switch (random_.below(4)) {
      case 0:
        text[at] = letters[random_.below(letters.size())];
        break;
      case 1:
        text[at] = static_cast<char>(random_.bits());
        break;
      case 2:
        text.erase(at, 1 + random_.below(12));
        break;
      default:
        text.insert(at, 1 + random_.below(2), letters[random_.below(letters.size())]);
    }
  }

  void change_line(std::string& text) {
    std::vector<std::string_view> lines = lines_of(text);
    const size_t at = random_.below(lines.size()), other = random_.below(lines.size());
    const std::string_view line = lines[at];
    const auto place = [&](size_t i) { return lines.begin() + static_cast<long>(i); };
    switch (random_.below(4)) {
      case 0:
        lines.erase(place(at));
        break;
      case 1:
        lines.insert(place(other), line);
        break;
      case 2:
        std::swap(lines[at], lines[other]);
        break;
      default:
        lines.resize(at + 1);
    }
    text = joined(lines);
  }

  /// Some lines of another text.
  void splice(std::string& text) {
    const std::string& other = random_.of(corpus_);
    const std::vector<std::string_view> from = lines_of(other);
    std::vector<std::string_view> lines = lines_of(text);
    const size_t first = random_.below(from.size());
    const size_t count = std::min<size_t>(1 + random_.below(8), from.size() - first);
    lines.insert(lines.begin() + static_cast<long>(random_.below(lines.size() + 1)),
                 from.begin() + static_cast<long>(first),
                 from.begin() + static_cast<long>(first + count));
    text = joined(lines);
  }

  template <class Wanted, class Change>
  void change_one(std::string& text, Wanted wanted, Change change) {
    const std::vector<std::string_view> tokens = tokens_of(text);
    std::vector<size_t> fitting;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (wanted(tokens[i])) fitting.push_back(i);
    }
    if (fitting.empty()) return;
    const std::string_view token = tokens[random_.of(fitting)];
    const std::string changed = change(std::string(token));
    const auto at = static_cast<size_t>(token.data() - text.data());
    text = text.substr(0, at) + changed + text.substr(at + token.size());
  }

  void change_number(std::string& text) {
    change_one(
        text,
        [](std::string_view token) {
          return std::isdigit(static_cast<unsigned char>(token[0])) != 0;
        },
        [&](const std::string&) { return extreme(); });
  }

  std::string any_token(const std::string& from) {
    const auto tokens = tokens_of(from);
    return std::string(tokens[random_.below(tokens.size())]);
  }

  /// Another modifier or type, from any text.
  void change_suffix(std::string& text) {
    const auto has_parts = [](std::string_view token) {
      return token.find('.', 1) != std::string_view::npos;
    };
    change_one(text, has_parts, [&](const std::string& token) {
      std::string other = token;
      for (int i = 0; i < 50 && (other == token || !has_parts(other)); ++i) {
        other = any_token(random_.of(corpus_));
      }
      const size_t from = other.rfind('.');
      const std::string suffix = from == std::string::npos ? "" : other.substr(from);
      const size_t cut = token.rfind('.');
      switch (random_.below(3)) {
        case 0:
          return token + suffix;
        case 1:
          return token.substr(0, cut);
        default:
          return token.substr(0, cut) + suffix;
      }
    });
  }

  void change_token(std::string& text) {
    const auto is_word = [](std::string_view token) {
      return !std::isspace(static_cast<unsigned char>(token[0]));
    };
    change_one(text, is_word, [&](const std::string& token) -> std::string {
      switch (random_.below(4)) {
        case 0:
          return "";
        case 1:
          return token + " " + token;
        case 2:
          return any_token(random_.of(corpus_));
        default:
          return any_token(text);
      }
    });
  }

  /// Another register, name, number or opcode of the same text: mostly legal.
  void swap_alike(std::string& text) {
    const auto kind = [](std::string_view token) {
      if (token[0] == '%') return token.substr(0, 2);
      if (std::isdigit(static_cast<unsigned char>(token[0]))) {
        return std::string_view("0");
      }
      const bool opcode = token.find('.', 1) != std::string_view::npos;
      return opcode ? std::string_view("ld.") : token.substr(0, 1);
    };
    const auto is_word = [](std::string_view token) {
      return std::isalnum(static_cast<unsigned char>(token[0])) || token[0] == '%' ||
             token[0] == '$' || token[0] == '_';
    };
    change_one(text, is_word, [&](const std::string& token) {
      const auto tokens = tokens_of(text);
      std::vector<std::string_view> alike;
      for (const std::string_view other : tokens) {
        if (kind(other) == kind(token) && other != token) alike.push_back(other);
      }
      return alike.empty() ? token : std::string(random_.of(alike));
    });
  }

  Random& random_;
  const std::vector<std::string>& corpus_;
};

}  // namespace fuzz
