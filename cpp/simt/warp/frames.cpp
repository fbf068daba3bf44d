#include "simt/warp/frames.h"

#include <cstring>
#include <new>

#include "simt/warp/fill.h"
#include "simt/warp/launch_state.h"

namespace minitorch::simt {

AlignedBytes::AlignedBytes(size_t size)
    : bytes_(static_cast<uint8_t*>(::operator new(size, std::align_val_t{64}))) {}

void AlignedBytes::Release::operator()(uint8_t* bytes) const {
  ::operator delete(bytes, std::align_val_t{64});
}

Frame* FramePool::take(const FunctionCode& code, const Block& block, const Warp& warp) {
  if (free_.size() <= code.index) free_.resize(code.index + 1, nullptr);
  Frame* frame = free_[code.index];
  if (frame) {
    free_[code.index] = frame->next_free;
  } else {
    frame = &frames_.emplace_back();
    const size_t registers = code.frame_bytes;
    bytes_ += registers;
    storage_.emplace_back(registers + code.pattern_count * sizeof(Pattern));
    frame->code = &code;
    frame->registers = storage_.back().data();
    frame->patterns = reinterpret_cast<Pattern*>(frame->registers + registers);
    fill_launch_rows(launch_, code, frame->registers);
  }
  for (uint32_t i = 0; i < code.pattern_count; ++i) frame->patterns[i] = {};
  frame->divided = false;
  fill_warp_rows(launch_, code, frame->registers, warp.index);
  fill_block_rows(code, frame->registers, block);
  clear_undefined_rows(code, frame->registers);
  return frame;
}

void FramePool::give_back(Frame* frame) {
  frame->next_free = free_[frame->code->index];
  free_[frame->code->index] = frame;
}

}  // namespace minitorch::simt
