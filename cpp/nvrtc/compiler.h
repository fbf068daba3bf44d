// The way from CUDA C++ source to PTX or cubin, through the caches.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nvrtc/diagnostics.h"

namespace minitorch::nvrtc {

/// What to compile and for what. Everything here is part of the cache key.
struct Request {
  SourceFile source;  // name: a rooted pseudo file, "/minitorch/kernels/x.cu"
  std::vector<SourceFile> headers;            // found by `#include "name"`, in memory
  std::vector<std::string> name_expressions;  // "scale<float>"
  std::vector<std::string> options;           // the user's own, passed last
  int architecture = 75;
  bool cubin =
      false;  // for sm_<architecture> as well as PTX; else compute_<architecture>
};

/// What came out. A result that the cache gave is the same as one just compiled.
struct Result {
  std::string ptx, cubin;
  std::map<std::string, std::string> lowered_names;  // by name expression
  std::vector<Diagnostic> warnings;
  std::string assembler_log;  // with "--ptxas-options=-v" (assembler_log.h)
  /// What the driver loads: the cubin where there is one.
  const std::string& image() const { return cubin.empty() ? ptx : cubin; }
};

/// Compiles, or takes the result from memory or disk. Safe from any thread; two threads
/// or processes asking for the same compile both get a whole result.
/// Throws CompileError, StateError (no NVRTC), ValueError (architecture unknown to it).
std::shared_ptr<const Result> compile(const Request& request);

/// Called by the thread that compiles a file, when NVRTC begins and when it has ended;
/// not for what a cache gave.
struct CompileWatch {
  void (*begin)(const std::string& file);
  void (*end)() noexcept;
};
inline std::atomic<const CompileWatch*> compile_watch{nullptr};

/// How often each way was taken in this process.
struct CacheStatistics {
  unsigned long memory_hits = 0, disk_hits = 0, compiles = 0;
};
CacheStatistics cache_statistics();

/// MINITORCH_CACHE_DIR, also where it is empty: then there is none. Without it
/// $XDG_CACHE_HOME/minitorch, else ~/.cache/minitorch; "" when there is no such place.
std::string cache_directory();

/// Empties the cache in memory (tests, `reset`); the disk keeps its entries.
void clear_memory_cache();

}  // namespace minitorch::nvrtc
