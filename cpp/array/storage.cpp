#include "array/storage.h"

#include "array/host_memory.h"

namespace minitorch::array {

std::shared_ptr<Storage> Storage::host(size_t bytes) {
  auto storage = std::make_shared<Storage>();
  storage->data_ = allocate_host(bytes);
  storage->bytes_ = bytes;
  return storage;
}

std::shared_ptr<Storage> Storage::borrow(void* data, size_t bytes,
                                         std::shared_ptr<void> owner, bool read_only) {
  auto storage = std::make_shared<Storage>();
  storage->read_only_ = read_only;
  storage->data_ = data;
  storage->bytes_ = bytes;
  storage->owner_ = std::move(owner);
  return storage;
}

std::shared_ptr<Storage> Storage::device(cuda_client::Api& api, uint64_t address,
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
  free_host(data_, bytes_);
}

}  // namespace minitorch::array
