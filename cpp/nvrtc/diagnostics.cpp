#include "nvrtc/diagnostics.h"

#include <charconv>
#include <optional>

#include "base/text.h"

namespace minitorch::nvrtc {
namespace {

constexpr size_t kQuoteIndent = 2;  // blanks before each quoted source line
constexpr std::string_view kAtEnd = "At end of source: ";

struct Severity {
  std::string_view spelled, meaning;
};
constexpr Severity kSeverities[] = {
    {"catastrophic error", "error"},
    {"internal error", "error"},
    {"error", "error"},
    {"warning", "warning"},
    {"note", "note"},
    {"remark", "note"},
};

// Reads `error: text`, `warning #177-D: text` into `found`.
bool read_message(std::string_view text, Diagnostic* found) {
  for (const Severity& severity : kSeverities) {
    if (!text.starts_with(severity.spelled)) continue;
    std::string_view rest = text.substr(severity.spelled.size());
    const size_t colon = rest.find(": ");
    if (colon == std::string_view::npos) return false;
    const std::string_view code = rest.substr(0, colon);
    if (!code.empty() && !code.starts_with(" #")) return false;
    found->severity = severity.meaning;
    found->code = code.empty() ? "" : code.substr(1);
    found->message = rest.substr(colon + 2);
    return true;
  }
  return false;
}

// `file(12): error: text`, or `At end of source: error: text`.
std::optional<Diagnostic> read_head(std::string_view line) {
  Diagnostic found;
  if (line.starts_with(kAtEnd)) {
    if (!read_message(line.substr(kAtEnd.size()), &found)) return {};
    return found;
  }
  // Quoted lines begin with blanks, whatever they look like.
  if (line.starts_with(' ')) return {};
  const size_t close = line.find("): ");
  if (close == std::string_view::npos) return {};
  const size_t open = line.rfind('(', close);
  if (open == std::string_view::npos) return {};
  const char* end = line.data() + close;
  const auto [stop, error] = std::from_chars(line.data() + open + 1, end, found.line);
  if (error != std::errc() || stop != end) return {};
  if (!read_message(line.substr(close + 3), &found)) return {};
  found.file = line.substr(0, open);
  return found;
}

// The caret line under a quoted line; 0 when `line` is none.
int caret_column(std::string_view line) {
  const size_t caret = line.find('^');
  if (caret == std::string_view::npos || caret < kQuoteIndent) return 0;
  if (line.find_first_not_of(" \t") != caret) return 0;
  return static_cast<int>(caret - kQuoteIndent) + 1;
}

std::string source_line(const Diagnostic& diagnostic,
                        const std::vector<SourceFile>& sources) {
  for (const SourceFile& source : sources) {
    if (source.name != diagnostic.file) continue;
    std::string_view rest = source.text;
    std::string_view line;
    for (int i = 0; i < diagnostic.line && !rest.empty(); ++i)
      line = base::take_line(&rest);
    return std::string(line);
  }
  return "";
}

// Lines that stand for themselves between messages.
bool is_summary(std::string_view line) {
  return line.empty() || line.starts_with("Remark: The warnings can be suppressed") ||
         line == "Compilation terminated." ||
         (line.find_first_of("123456789") == 0 &&
          line.find(" detected in the compilation of ") != std::string_view::npos);
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::vector<Diagnostic> parse_log(std::string_view log,
                                  const std::vector<SourceFile>& sources) {
  std::vector<Diagnostic> diagnostics;
  std::string_view quoted;
  while (!log.empty()) {
    const std::string_view line = base::take_line(&log);
    if (std::optional<Diagnostic> head = read_head(line)) {
      if (head->line == 0 && !sources.empty()) head->file = sources.front().name;
      head->source_line = source_line(*head, sources);
      diagnostics.push_back(std::move(*head));
      quoted = {};
    } else if (!diagnostics.empty() && line.starts_with("  ")) {
      Diagnostic& last = diagnostics.back();
      const int column = caret_column(line);
      if (column > 0 && last.column == 0) {
        last.column = column;
        if (last.source_line.empty() && quoted.size() > kQuoteIndent)
          last.source_line = quoted.substr(kQuoteIndent);
      }
      quoted = line;
    }
  }
  return diagnostics;
}

std::string without_other_files(std::string_view log,
                                const std::function<bool(const std::string&)>& shown) {
  constexpr const char* kInstead =
      "what this file says is not shown: it is not one of the kernel's own headers. "
      "Name its folder with -I if it is yours.";
  std::string kept;
  std::string last;    // message that stands for others
  bool other = false;  // the lines behind a message of another file
  while (!log.empty()) {
    const std::string_view line = base::take_line(&log);
    const std::optional<Diagnostic> head = read_head(line);
    if (head) other = head->line > 0 && !shown(head->file);
    if (!other || is_summary(line)) {
      kept += base::text(line, '\n');
    } else if (head) {
      std::string instead =
          base::text(head->file, '(', head->line, "): ", head->severity,
                     head->code.empty() ? "" : " ", head->code, ": ", kInstead, '\n');
      if (instead != last) kept += instead;
      last = std::move(instead);
    }
  }
  return kept;
}

std::string diagnostic_text(const Diagnostic& diagnostic) {
  std::string text = last_part(diagnostic.file);
  if (diagnostic.line > 0) text += base::text("(", diagnostic.line, ")");
  if (!text.empty()) text += ": ";
  text += base::text(diagnostic.severity, ": ", diagnostic.message);
  if (diagnostic.source_line.empty()) return text;
  text += base::text("\n  ", diagnostic.source_line);
  if (diagnostic.column > 0) {
    text += "\n  ";
    // Tabs stay tabs, so that the caret stands under its character.
    for (int i = 0; i + 1 < diagnostic.column; ++i) {
      const size_t at = static_cast<size_t>(i);
      const bool tab =
          at < diagnostic.source_line.size() && diagnostic.source_line[at] == '\t';
      text += tab ? '\t' : ' ';
    }
    text += '^';
  }
  return text;
}

}  // namespace minitorch::nvrtc
