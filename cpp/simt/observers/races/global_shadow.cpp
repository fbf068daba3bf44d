#include "simt/observers/races/global_shadow.h"

#include <sys/mman.h>

#include <mutex>
#include <utility>

#include "simt/memory/lazy_pages.h"

namespace minitorch::simt {
namespace {

/// The first numbers stay free, so that epoch 0 is nobody's.
constexpr uint32_t kFirstNumber = 64;
/// A shadow is not kept once so many numbers have gone: its pages go back instead.
constexpr uint32_t kKeptNumbers = kGreatestGlobalNumber / 8;

struct Kept {
  std::mutex mutex;
  GlobalShadow shadow;
};
Kept& kept() {
  static Kept made;
  return made;
}

void unmap(const GlobalShadow& shadow) {
  if (shadow.epochs) munmap(shadow.epochs, 4 * shadow.length);
}

}  // namespace

GlobalShadow take_global_shadow(size_t length) {
  GlobalShadow found;
  {
    const std::lock_guard lock(kept().mutex);
    found = std::exchange(kept().shadow, {});
  }
  if (found.epochs && found.length >= length) return found;
  unmap(found);
  void* const pages = map_lazily(4 * length, "the search for races");
  return {static_cast<Epoch*>(pages), length, kFirstNumber};
}

void give_global_shadow(const GlobalShadow& shadow) {
  GlobalShadow other = shadow;
  if (shadow.next_number < kKeptNumbers) {
    const std::lock_guard lock(kept().mutex);
    std::swap(other, kept().shadow);
  }
  unmap(other);
}

}  // namespace minitorch::simt
