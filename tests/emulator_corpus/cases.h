// The list of corpus kernels: what each is given at its three sizes.
#pragma once

#include "bench.h"

namespace corpus {

struct Case {
  const char* name;
  void (*prepare)(Bench&);
  bool timed = false;  // what it writes depends on clocks
};

/// Every kernel of the corpus that the emulator executes.
const std::vector<Case>& cases();

}  // namespace corpus
