// Owns a block of memory, on the host or on a device; knows no shape or element type.
#include "array/storage.h"

#include <atomic>
#include <new>

#include "base/error.h"
#include "base/text.h"

namespace minitorch::array {
namespace {

constexpr std::align_val_t kAlignment{64};  // a cache line, and the widest vector
std::atomic<size_t> host_bytes{0};

}  // namespace

std::shared_ptr<Storage> Storage::host(size_t bytes) {
  auto storage = std::make_shared<Storage>();
  storage->data_ = ::operator new(bytes, kAlignment, std::nothrow);
  if (!storage->data_) {
    throw base::MemoryError("tensor",
                            base::text("got a request for ", bytes,
                                       " bytes; the host has no room for so many."));
  }
  storage->bytes_ = bytes;
  host_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return storage;
}

std::shared_ptr<Storage> Storage::borrow(void* data, size_t bytes,
                                         std::shared_ptr<void> owner) {
  auto storage = std::make_shared<Storage>();
  storage->data_ = data;
  storage->bytes_ = bytes;
  storage->owner_ = std::move(owner);
  return storage;
}

std::shared_ptr<Storage> Storage::device(driver::Api& api, uint64_t address,
                                         size_t bytes, std::shared_ptr<void> owner) {
  auto storage = std::make_shared<Storage>();
  storage->api_ = &api;
  storage->address_ = address;
  storage->bytes_ = bytes;
  storage->owner_ = std::move(owner);
  return storage;
}

Storage::~Storage() {
  if (!data_ || owner_) return;
  ::operator delete(data_, kAlignment);
  host_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
}

size_t Storage::host_bytes_in_use() {
  return host_bytes.load(std::memory_order_relaxed);
}

}  // namespace minitorch::array
