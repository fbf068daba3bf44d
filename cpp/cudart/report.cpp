#include "cudart/report.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "cudart/api.h"
#include "cudart/driver.h"

namespace minitorch::cudart {
namespace {

constexpr size_t kMaxRows = 10000;
constexpr int kMaxFrames = 10;
thread_local const char* launched_kernel = "";

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

/// The calls that led here, from outside of this library, as "file+0xaddress" in the
/// addresses of that file: what addr2line reads.
std::string frames() {
  void* addresses[kMaxFrames + 6];
  const int count = backtrace(addresses, kMaxFrames + 6);
  Dl_info own{}, at{};
  dladdr(reinterpret_cast<void*>(&frames), &own);
  std::string out;
  for (int i = 0; i < count; ++i) {
    if (dladdr(addresses[i], &at) == 0 || at.dli_fbase == own.dli_fbase) continue;
    auto address = reinterpret_cast<uintptr_t>(addresses[i]) - 1;  // in the call
    if (static_cast<Elf64_Ehdr*>(at.dli_fbase)->e_type == ET_DYN)
      address -= reinterpret_cast<uintptr_t>(at.dli_fbase);
    char number[24];
    std::snprintf(number, sizeof number, "+0x%zx", static_cast<size_t>(address));
    out += (out.empty() ? "" : ", ") + quoted(std::string(at.dli_fname) + number);
  }
  return "\"frames\": [" + out + "], ";
}

class Report {
 public:
  Report() {
    const char* folder = std::getenv("MINITORCH_REPORT");
    if (folder == nullptr || *folder == '\0') return;
    const std::string path = base::text(folder, "/", getpid(), ".cudart.jsonl");
    file_ = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
  }
  bool is_open() const { return file_ >= 0; }

  /// Adds 1 to the row that begins with `text`; a new one has the label `name` #number.
  long count(const std::string& text, const char* name) {
    const auto [known, added] = numbers_.emplace(text, rows_.size());
    if (added) {
      if (rows_.size() >= kMaxRows) {
        numbers_.erase(known);
        return -1;
      }
      const std::string line = base::text(
          "{", text, "\"label\": ", quoted(label(name, rows_.size())), ", \"count\": ");
      rows_.push_back({0, end_ + static_cast<off_t>(line.size())});
      write(end_, line + std::string(kWidth, ' ') + "}\n");
      end_ += static_cast<off_t>(line.size()) + kWidth + 2;
    }
    change(static_cast<long>(known->second), 1);
    return static_cast<long>(known->second);
  }
  void change(long row, int difference) {
    if (row < 0) return;
    Row& changed = rows_[static_cast<size_t>(row)];
    changed.count += difference;
    char digits[kWidth + 1];
    std::snprintf(digits, sizeof digits, "%*lld", kWidth, changed.count);
    write(changed.at, digits);
  }
  static std::string label(const char* name, size_t row) {
    return base::text(name, " #", row + 1);
  }

  std::mutex mutex;
  std::map<const void*, long> allocations;  // the row of each that is not yet freed
  std::set<std::string> absent;

 private:
  static constexpr int kWidth = 20;
  struct Row {
    long long count;
    off_t at;
  };
  void write(off_t at, const std::string& text) {
    if (pwrite(file_, text.data(), text.size(), at) < 0) file_ = -1;  // no room left
  }

  int file_ = -1;
  off_t end_ = 0;
  std::vector<Row> rows_;
  std::map<std::string, size_t> numbers_;
};

Report& report() {
  static auto* const file = new Report;  // threads may report at exit
  return *file;
}

}  // namespace

void set_launched_kernel(const char* name) { launched_kernel = name; }

void report_absent(const char* symbol) {
  std::lock_guard lock(report().mutex);
  if (report().absent.insert(symbol).second) {
    std::fprintf(stderr,
                 "[cudart] %s was called, which minitorch's runtime library does not "
                 "offer; it returns cudaErrorNotSupported.\n",
                 symbol);
  }
  if (report().is_open())
    report().count(base::text("\"absent\": ", quoted(symbol), ", "), symbol);
}

long report_failure(const char* symbol, int result, bool of_driver) {
  if (!report().is_open()) return -1;
  const char* message = "";
  if (of_driver && inspection().last_message != nullptr)
    inspection().last_message(&message);
  const std::string name = symbol;
  const bool launch = name.find("LaunchKernel") != std::string::npos ||
                      name.find("LaunchCooperative") != std::string::npos;
  const std::string text = base::text(
      "\"runtime\": \"unchecked_error\", \"function\": ", quoted(symbol),
      ", \"kernel\": ", quoted(launch ? launched_kernel : ""),
      ", \"error\": ", quoted(api::error_name(result)),
      ", \"message\": ", quoted(message == nullptr ? "" : message), ", ", frames());
  std::lock_guard lock(report().mutex);
  return report().count(text, symbol);
}

void report_asked(long row) {
  if (row < 0) return;
  std::lock_guard lock(report().mutex);
  report().change(row, -1);
}

void report_allocated(const void* pointer, size_t bytes, const char* symbol) {
  if (!report().is_open() || pointer == nullptr) return;
  const std::string text = base::text("\"runtime\": \"memory_not_freed\", ",
                                      "\"function\": ", quoted(symbol),
                                      ", \"bytes\": ", bytes, ", ", frames());
  std::lock_guard lock(report().mutex);
  const long row = report().count(text, symbol);
  if (row < 0) return;
  report().allocations[pointer] = row;
  if (inspection().label_allocation != nullptr) {
    const std::string label = Report::label(symbol, static_cast<size_t>(row));
    inspection().label_allocation(reinterpret_cast<CUdeviceptr>(pointer),
                                  label.c_str());
  }
}

void report_freed(const void* pointer) {
  if (!report().is_open()) return;
  std::lock_guard lock(report().mutex);
  const auto known = report().allocations.find(pointer);
  if (known == report().allocations.end()) return;
  report().change(known->second, -1);
  report().allocations.erase(known);
}

void report_all_freed() {
  std::lock_guard lock(report().mutex);
  for (const auto& [pointer, row] : report().allocations) report().change(row, -1);
  report().allocations.clear();
}

void report_direction(const char* symbol, int kind, const char* problem) {
  if (!report().is_open()) return;
  const std::string text = base::text(
      "\"runtime\": \"copy_direction\", \"function\": ", quoted(symbol),
      ", \"copy\": ", kind, ", \"problem\": ", quoted(problem), ", ", frames());
  std::lock_guard lock(report().mutex);
  report().count(text, symbol);
}

}  // namespace minitorch::cudart
