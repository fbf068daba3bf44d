#include "simt/memory/shared_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace minitorch::simt {
namespace {

bool show(int file, uint64_t offset, uint64_t address, uint64_t size) {
  return mmap(reinterpret_cast<void*>(address), size, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED, file, static_cast<off_t>(offset)) != MAP_FAILED;
}

}  // namespace

SharedPages::SharedPages(uint64_t bytes)
    : bytes(bytes), file_(memfd_create("device memory", MFD_CLOEXEC)) {
  if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(bytes + bytes / 8)) == 0) {
    return;
  }
  if (file_ >= 0) close(file_);
  throw std::bad_alloc();
}

SharedPages::~SharedPages() { close(file_); }

bool SharedPages::show_at(uint64_t address, uint64_t bits, uint64_t size) const {
  return show(file_, 0, address, size) && show(file_, bytes, bits, size / 8);
}

}  // namespace minitorch::simt
