#include "nvrtc/compiler.h"

#include <mutex>

#include "base/text.h"
#include "nvrtc/digest.h"
#include "nvrtc/disk_cache.h"
#include "nvrtc/files.h"
#include "nvrtc/includes.h"
#include "nvrtc/loaded_library.h"
#include "nvrtc/location.h"
#include "nvrtc/program.h"

namespace minitorch::nvrtc {
namespace {

// Part of every key: raise it when our options, the entry's form or the headers in
// minitorch/cuda/include change.
constexpr const char* kKeyVersion = "2";

struct Store {
  std::mutex compiling;  // one at a time: NVRTC takes a lock of its own
  std::mutex mutex;      // of what follows; never held while something compiles
  std::map<std::string, std::shared_ptr<const Result>> memory;
  CacheStatistics statistics;
};

Store& store() {
  static Store* const made = new Store;
  return *made;
}

std::string cache_key(const Request& request) {
  Sha256 hash;
  hash.field(kKeyVersion).field(std::to_string(version()));
  hash.field(std::to_string(request.architecture))
      .field(request.cubin ? "sm" : "compute");
  hash.field(request.source.name).field(request.source.text);
  hash.field(std::to_string(request.headers.size()));
  for (const SourceFile& header : request.headers)
    hash.field(header.name).field(header.text);
  hash.field(std::to_string(request.name_expressions.size()));
  for (const std::string& expression : request.name_expressions) hash.field(expression);
  hash.field(std::to_string(request.options.size()));
  for (const std::string& option : request.options) hash.field(option);
  const OutsideIncludes outside = outside_includes(request);
  for (const SourceFile& file : outside.user_files)
    hash.field(file.name).field(file.text);
  // The toolkit's headers are known by their folders and the folders' times.
  const Location where = outside.any ? location() : Location{};
  if (outside.any)
    for (const std::string& folder : where.include_dirs) {
      const FileStamp stamp = file_stamp(folder).value_or(FileStamp{});
      hash.field(folder).field(std::to_string(stamp.time));
    }
  return hash.hex();
}

// The readable source of an entry: the headers given in memory first, as comments say.
std::string entry_source(const Request& request) {
  std::string text = base::text("// ", request.source.name, ", compute capability ",
                                request.architecture, "\n");
  for (const std::string& option : request.options)
    text += base::text("// option ", option, "\n");
  for (const SourceFile& header : request.headers)
    text += base::text("// ---- ", header.name, "\n", header.text, "\n");
  return text + base::text("// ---- ", request.source.name, "\n", request.source.text);
}

void count(unsigned long CacheStatistics::*way) {
  const std::lock_guard lock(store().mutex);
  store().statistics.*way += 1;
}

/// What runs inside NVRTC, announced to whoever watches.
class Watched {
 public:
  explicit Watched(const std::string& file) : watch_(compile_watch) {
    if (watch_) watch_->begin(file);
  }
  ~Watched() {
    if (watch_) watch_->end();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  const CompileWatch* const watch_;
};

std::shared_ptr<const Result> remembered(const std::string& key) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  const auto found = s.memory.find(key);
  if (found == s.memory.end()) return nullptr;
  s.statistics.memory_hits += 1;
  return found->second;
}

}  // namespace

std::shared_ptr<const Result> compile(const Request& request) {
  const std::string key = cache_key(request);
  if (auto known = remembered(key)) return known;
  const std::lock_guard compiling(store().compiling);
  // Another thread may have compiled it meanwhile.
  if (auto known = remembered(key)) return known;
  std::shared_ptr<const Result> result;
  if (std::optional<Result> entry = load_entry(key)) {
    count(&CacheStatistics::disk_hits);
    result = std::make_shared<const Result>(std::move(*entry));
  } else {
    count(&CacheStatistics::compiles);
    const Watched watched(request.source.name);
    result = std::make_shared<const Result>(
        run_compiler(*loaded_library(), request, location().include_dirs));
    store_entry(key, entry_source(request), *result);
  }
  const std::lock_guard lock(store().mutex);
  store().memory.emplace(key, result);
  return result;
}

CacheStatistics cache_statistics() {
  const std::lock_guard lock(store().mutex);
  return store().statistics;
}

void clear_memory_cache() {
  const std::lock_guard lock(store().mutex);
  store().memory.clear();
}

}  // namespace minitorch::nvrtc
