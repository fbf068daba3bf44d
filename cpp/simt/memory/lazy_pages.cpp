#include "simt/memory/lazy_pages.h"

#include <sys/mman.h>

#include "base/error.h"
#include "base/text.h"

namespace minitorch::simt {

void* map_lazily(uint64_t bytes, const char* purpose) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages != MAP_FAILED) return pages;
  throw base::MemoryError(
      "checks", base::text(purpose, " needs ", bytes >> 20,
                           " MB of address space, which a limit of this process does "
                           "not allow. Raise it (ulimit -v, ulimit -d), or set "
                           "MINITORCH_CHECKS=memory"));
}

}  // namespace minitorch::simt
