// Cutting C++ text into tokens, and jumping over brackets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace minitorch::runtime {

/// Words, numbers and single punctuation marks (`::` is one); comments, strings and
/// preprocessor lines are left out, but `#define NAME type` comes back as
/// `using NAME = type ;`.
using Tokens = std::vector<std::string>;
Tokens cpp_tokens(std::string_view code);

/// The same; `ends` receives where in `code` each token ends, `npos` for those of a
/// preprocessor line.
Tokens cpp_tokens(std::string_view code, std::vector<size_t>* ends);

/// Index just after the bracket that closes the one at `open` ("(", "<", "[" or "{"),
/// or `tokens.size()`.
size_t after_bracket(const Tokens& tokens, size_t open);

/// Splits [begin, end) at commas that stand in no bracket.
std::vector<Tokens> split_commas(const Tokens& tokens, size_t begin, size_t end);

bool is_word(const std::string& token);

/// Joined with blanks where C++ needs or people like them: "const float*".
std::string joined(const Tokens& tokens);

}  // namespace minitorch::runtime
