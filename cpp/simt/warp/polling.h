// What happens when all paths of a block only ask mbarriers for phases that are not
// over.
#pragma once

#include "simt/warp/context.h"

namespace minitorch::simt {

/// What a turn of a block was.
struct BlockTurn {
  bool polls = false;    // every path that ran has asked in vain
  bool repeats = false;  // and ended in the state of its turn before
  bool outside = false;  // some path looked at what other blocks may change
};

enum class Outlook : uint8_t {
  Free,      // something happens
  Waiting,   // nobody but the block itself can end the waiting: let it run on
  Deadlock,  // nobody can; the block has got its fault
};

Outlook watch_polling(Context& context, Block& block, const BlockTurn& turn);

}  // namespace minitorch::simt
