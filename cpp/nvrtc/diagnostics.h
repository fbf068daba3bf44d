// The compiler's messages as data, and the error that carries them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace minitorch::nvrtc {

/// One message of the compiler. `line` is 0 where the compiler names none, `column`
/// where it prints none. `source_line` is the text of that line where the source is at
/// hand.
struct Diagnostic {
  std::string severity;  // "error", "warning" or "note"
  std::string file;
  int line = 0, column = 0;
  std::string code;  // "#549-D" or ""
  std::string message;
  std::string source_line;
};

/// A source text by the name under which the compiler knows it.
struct SourceFile {
  std::string name, text;
};

/// Reads NVRTC's log; lines that follow a message (the source line and the caret)
/// belong to it. `sources` supplies lines that the log does not quote.
std::vector<Diagnostic> parse_log(std::string_view log,
                                  const std::vector<SourceFile>& sources);

/// The log without what it says of the text of other files than those that `shown`
/// holds: their messages keep place, severity and number, the rest gives way to a
/// sentence.
std::string without_other_files(std::string_view log,
                                const std::function<bool(const std::string&)>& shown);

/// `file(line): error: message` with the source line under it; files by their last
/// part.
std::string diagnostic_text(const Diagnostic& diagnostic);

/// A source that does not compile. Python: minitorch.cuda.CompileError.
class CompileError : public base::Error {
 public:
  CompileError(const std::string& text, std::vector<Diagnostic> diagnostics,
               std::string log)
      : base::Error("nvrtc", text),
        diagnostics(std::move(diagnostics)),
        log(std::move(log)) {}
  std::vector<Diagnostic> diagnostics;  // errors and warnings, in the log's order
  std::string log;
};

}  // namespace minitorch::nvrtc
