#include "cudart/thread_state.h"

namespace minitorch::cudart {

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

}  // namespace minitorch::cudart
