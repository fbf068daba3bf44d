#include "cuda_client/buffer.h"

namespace minitorch::cuda_client {

Buffer::~Buffer() {
  try {
    free();
  } catch (const base::Error&) {
    // The context is gone (reset, end of the process), and the memory with it.
  }
}

void Buffer::free() {
  if (freed_) return;
  freed_ = true;
  if (owner_)
    owner_.reset();
  else
    allocator_->free(pointer_);
}

}  // namespace minitorch::cuda_client
