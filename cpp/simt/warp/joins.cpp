// Joins: where the lanes of a divergent branch, or of a call, come together again.
#include "simt/warp/context.h"
#include "simt/warp/frames.h"

namespace minitorch::simt {
namespace {

/// Sends the lanes waiting at `join` on their way. A marker is stepped on once more, as
/// an outer join may lie at the same place.
void release(Context& context, Join* join, uint32_t lanes) {
  Path path;
  path.mask = lanes;
  path.join = join->parent;
  if (join->at) {
    path.at = join->at;
    path.frame = join->frame;
  } else {
    path.at = join->frame->return_to;
    path.frame = join->frame->caller;
  }
  path.segment = path.at->instruction;
  context.warp->push_ready(path);
}

}  // namespace

Join* new_join(Context& context, const Step* at, uint32_t expected) {
  Join* join = context.free_joins;
  if (join) {
    context.free_joins = join->parent;
  } else {
    join = context.frames->allocate_join();
  }
  *join = Join{at, expected, 0, 0, false, context.join, context.frame};
  return join;
}

void free_join(Context& context, Join* join) {
  if (join->at == nullptr) context.frames->give_back(join->frame);
  join->parent = context.free_joins;
  context.free_joins = join;
}

void leave_joins(Context& context, Join* join, const Join* until, uint32_t lanes) {
  while (join != until) {
    Join* const parent = join->parent;
    join->expected &= ~lanes;
    if (join->expected == join->arrived) {
      if (join->arrived && !join->broken) release(context, join, join->arrived);
      free_join(context, join);
    }
    join = parent;
  }
}

void break_stale_joins(Context& context, Join* join) {
  for (; join; join = join->parent) {
    if (join->broken || join->arrived == 0) continue;
    if (join->seen == join->arrived) {
      join->broken = true;
      release(context, join, join->arrived);
    }
    join->seen = join->arrived;
  }
}

bool break_joins(Context& context, Join* join) {
  bool any = false;
  for (; join; join = join->parent) {
    if (join->broken || join->arrived == 0) continue;
    join->broken = any = true;
    release(context, join, join->arrived);
  }
  return any;
}

}  // namespace minitorch::simt
