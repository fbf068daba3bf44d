#include "libcuda/inspect/report_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

#include "base/text.h"
#include "findings/details.h"
#include "findings/fields.h"
#include "findings/kinds.h"
#include "findings/report_line.h"

namespace minitorch::libcuda {
namespace {

constexpr size_t kMostReported = 10000;  // different ones

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string triple(const uint32_t (&values)[3]) {
  return base::text("[", values[0], ", ", values[1], ", ", values[2], "]");
}

std::string position_json(const MtPosition& position) {
  return base::text("{\"file\": ", quoted(position.file), ", \"line\": ", position.line,
                    "}");
}

std::string site_json(const MtSite& site, bool of_thread) {
  std::string calls;
  for (int i = 0; i < site.inlined_count && i < 4; ++i)
    calls += (i > 0 ? ", " : "") + position_json(site.inlined_from[i]);
  return base::text("\"file\": ", quoted(site.position.file),
                    ", \"line\": ", site.position.line, ", \"inlined_from\": [", calls,
                    "], \"block\": ", of_thread ? triple(site.block) : "null",
                    ", \"thread\": ", of_thread ? triple(site.thread) : "null");
}

/// Everything but the count, which comes last.
std::string finding_json(const MtFinding& finding) {
  MtFinding once = finding;
  once.count = 1;  // the reader adds the count to the text
  const bool of_thread = !findings::is_between_operations(finding.kind);
  std::ostringstream out;
  out << "{\"kind\": " << quoted(findings::kind_name(finding.kind))
      << ", \"severity\": " << finding.severity
      << ", \"kernel\": " << quoted(finding.kernel) << ", "
      << site_json(finding.site, of_thread);
  if (finding.has_other != 0)
    out << ", \"other\": {" << site_json(finding.other, of_thread) << "}";
  if (finding.access != MtAccess_None)
    out << ", \"access\": " << quoted(findings::access_name(finding.access))
        << ", \"address\": " << finding.address << ", \"size\": " << finding.size;
  if (finding.has_allocation != 0)
    out << ", \"allocation\": {\"label\": " << quoted(finding.allocation_label)
        << ", \"size\": " << finding.allocation_size
        << ", \"offset\": " << finding.allocation_offset
        << ", \"parameter\": " << finding.parameter_index << "}";
  out << ", \"detail\": " << quoted(findings::detail_text(finding))
      << ", \"text\": " << quoted(findings::report_line(once)) << ", \"count\": ";
  return out.str();
}

class ReportFile {
 public:
  ReportFile() {
    const char* folder = std::getenv("MINITORCH_REPORT");
    if (folder == nullptr || *folder == '\0') return;
    const std::string path = base::text(folder, "/", getpid(), ".jsonl");
    file_ = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
    if (file_ >= 0) launches_at_ = append("{\"launches\": ", 0);
  }

  bool open_for_writing() const { return file_ >= 0; }

  void launch() {
    std::lock_guard lock(mutex_);
    if (file_ >= 0) write_number(launches_at_, ++launches_);
  }

  void finding(const MtFinding& finding) {
    std::lock_guard lock(mutex_);
    if (file_ < 0) return;
    count_line(findings_, findings::same_mistake_key(finding), finding.count,
               [&] { return finding_json(finding); });
  }

  void absent(const std::string& function) {
    std::lock_guard lock(mutex_);
    if (file_ < 0) return;
    count_line(absent_, function, 1, [&] {
      return base::text("{\"absent\": ", quoted(function), ", \"count\": ");
    });
  }

 private:
  static constexpr int kWidth = 20;
  struct Counted {
    uint64_t count;
    off_t at;
  };

  /// Adds `count` to the line of `key`; the first time `text()` is what it begins with.
  template <class Text>
  void count_line(std::map<std::string, Counted>& lines, const std::string& key,
                  uint64_t count, Text text) {
    const auto known = lines.find(key);
    if (known != lines.end()) {
      known->second.count += count;
      write_number(known->second.at, known->second.count);
    } else if (lines.size() < kMostReported) {
      lines.emplace(key, Counted{count, append(text(), count)});
    }
  }

  /// Adds the line `text` + number + "}"; the place of the number.
  off_t append(const std::string& text, uint64_t number) {
    const off_t at = end_ + static_cast<off_t>(text.size());
    std::string line(text.size() + kWidth, ' ');
    line.replace(0, text.size(), text);
    line += "}\n";
    write(end_, line);
    write_number(at, number);
    end_ += static_cast<off_t>(line.size());
    return at;
  }
  void write_number(off_t at, uint64_t number) {
    char digits[kWidth + 1];
    std::snprintf(digits, sizeof digits, "%*llu", kWidth,
                  static_cast<unsigned long long>(number));
    write(at, digits);
  }
  void write(off_t at, const std::string& text) {
    if (pwrite(file_, text.data(), text.size(), at) < 0) file_ = -1;  // no room left
  }

  int file_ = -1;
  std::mutex mutex_;
  off_t end_ = 0, launches_at_ = 0;
  uint64_t launches_ = 0;
  std::map<std::string, Counted> findings_, absent_;
};

ReportFile& report_file() {
  static ReportFile* const file = new ReportFile;  // threads may report at exit
  return *file;
}

}  // namespace

bool reports() { return report_file().open_for_writing(); }
void report_launch() { report_file().launch(); }
void report_finding(const MtFinding& finding) { report_file().finding(finding); }
void report_absent(const char* function) { report_file().absent(function); }

}  // namespace minitorch::libcuda
