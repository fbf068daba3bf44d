#include "nvrtc/disk_cache.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "nvrtc/digest.h"
#include "nvrtc/fields.h"
#include "nvrtc/files.h"

namespace minitorch::nvrtc {
namespace {

constexpr std::string_view kMagic = "// minitorch kernel cache 1 ";
constexpr std::string_view kName = "// name\t";
constexpr std::string_view kWarning = "// warning\t";
constexpr std::string_view kAssembler = "// assembler\t";
constexpr std::string_view kCubin = "// cubin\t";
constexpr std::string_view kEnd = "// end\n";

std::string entry_path(const std::string& key, const char* suffix) {
  return base::text(cache_directory(), "/kernels/", key.substr(0, 2), "/", key, suffix);
}

bool read_warning(std::string_view line, Result* result) {
  const std::vector<std::string> fields = split_fields(line);
  if (fields.size() != 7) return false;
  Diagnostic warning;
  warning.severity = fields[0];
  warning.file = fields[1];
  warning.line = std::atoi(fields[2].c_str());
  warning.column = std::atoi(fields[3].c_str());
  warning.code = fields[4];
  warning.message = fields[5];
  warning.source_line = fields[6];
  result->warnings.push_back(std::move(warning));
  return true;
}

}  // namespace

std::string entry_text(const Result& result) {
  std::string body;
  for (const auto& [expression, name] : result.lowered_names)
    body += base::text(kName, join_fields({expression, name}), "\n");
  for (const Diagnostic& warning : result.warnings)
    body += base::text(
        kWarning,
        join_fields({warning.severity, warning.file, std::to_string(warning.line),
                     std::to_string(warning.column), warning.code, warning.message,
                     warning.source_line}),
        "\n");
  if (!result.assembler_log.empty())
    body += base::text(kAssembler, join_fields({result.assembler_log}), "\n");
  if (!result.cubin.empty())
    body += base::text(kCubin, Sha256().update(result.cubin).hex(), "\n");
  body += kEnd;
  body += result.ptx;
  return base::text(kMagic, Sha256().update(body).hex(), "\n", body);
}

std::optional<Result> parse_entry(const std::string& text,
                                  const std::optional<std::string>& cubin) {
  std::string_view rest = text;
  const std::string_view first = base::take_line(&rest);
  if (!first.starts_with(kMagic)) return {};
  if (first.substr(kMagic.size()) != Sha256().update(rest).hex()) return {};
  Result result;
  while (!rest.starts_with(kEnd)) {
    if (rest.empty()) return {};
    const std::string_view line = base::take_line(&rest);
    if (line.starts_with(kName)) {
      const std::vector<std::string> fields = split_fields(line.substr(kName.size()));
      if (fields.size() != 2) return {};
      result.lowered_names[fields[0]] = fields[1];
    } else if (line.starts_with(kWarning)) {
      if (!read_warning(line.substr(kWarning.size()), &result)) return {};
    } else if (line.starts_with(kAssembler)) {
      result.assembler_log = split_fields(line.substr(kAssembler.size())).at(0);
    } else if (line.starts_with(kCubin)) {
      if (!cubin || line.substr(kCubin.size()) != Sha256().update(*cubin).hex())
        return {};
      result.cubin = *cubin;
    }
  }
  result.ptx = rest.substr(kEnd.size());
  return result;
}

std::optional<Result> load_entry(const std::string& key) {
  if (cache_directory().empty()) return {};
  const std::optional<std::string> text = read_file(entry_path(key, ".ptx"));
  if (!text) return {};
  return parse_entry(*text, read_file(entry_path(key, ".cubin")));
}

void store_entry(const std::string& key, const std::string& source,
                 const Result& result) {
  if (cache_directory().empty()) return;
  // The .ptx comes last: it is what makes the entry valid.
  bool written = write_file(entry_path(key, ".cu"), source);
  if (written && !result.cubin.empty())
    written = write_file(entry_path(key, ".cubin"), result.cubin);
  written = written && write_file(entry_path(key, ".ptx"), entry_text(result));
  if (!written) warn_unwritable(cache_directory());
}

void warn_unwritable(const std::string& directory) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::fprintf(
      stderr,
      "minitorch: cannot write the kernel cache %s; every process compiles its "
      "kernels anew. Free some space, or set MINITORCH_CACHE_DIR.\n",
      directory.c_str());
}

std::string cache_directory() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::getenv("MINITORCH_CACHE_DIR")) return variable("MINITORCH_CACHE_DIR");
  const std::string shared = variable("XDG_CACHE_HOME");
  if (!shared.empty()) return shared + "/minitorch";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/minitorch";
}

}  // namespace minitorch::nvrtc
