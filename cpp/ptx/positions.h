// The table of source positions behind .loc; knows no instruction.
#pragma once

#include <map>
#include <tuple>

#include "ptx/program.h"
#include "ptx/syntax.h"

namespace minitorch::ptx {

class PositionTable {
 public:
  /// Index of the position. Line 0 means "no line of its own": the answer is
  /// `previous`. The call an inlined position names continues the chain of the last
  /// position there.
  uint32_t add(const syntax::Location& location, uint32_t previous);

  /// Moves files, positions and names into `module`, file numbers turned into indices.
  void finish(const syntax::Module& tree, Module& module);

 private:
  using Spot = std::tuple<uint32_t, uint32_t, uint32_t>;  // file number, line, column
  uint32_t intern(const Spot& spot, uint32_t inlined_at);

  void name_functions(const syntax::Module& tree, Module& module);

  std::vector<Position> positions_;
  std::map<std::string_view, std::vector<uint32_t>> named_;  // positions of a label
  std::map<std::pair<Spot, uint32_t>, uint32_t> known_;
  std::map<Spot, uint32_t> latest_;
};

}  // namespace minitorch::ptx
