// Basic blocks, their successors, and where divergent branches join.
#include <algorithm>

#include "ptx/analysis.h"

namespace minitorch::ptx {
namespace {

void find_blocks(Function& function) {
  const auto& instructions = function.instructions;
  std::vector<bool> starts(instructions.size() + 1);
  starts[0] = true;
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (!ends_block(instructions[i].opcode.op)) continue;
    starts[i + 1] = true;
    if (instructions[i].opcode.op == Op::Bra) starts[instructions[i].target] = true;
    if (instructions[i].opcode.op == Op::BrxIdx)
      for (uint32_t target : instructions[i].targets) starts[target] = true;
  }
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (starts[i]) function.blocks.emplace_back().begin = i;
    function.blocks.back().end = i + 1;
  }
}

// Successors of each block, kNone for the exit; without repetitions.
std::vector<std::vector<uint32_t>> find_edges(const Function& function) {
  std::vector<uint32_t> block_of(function.instructions.size());
  for (uint32_t b = 0; b < function.blocks.size(); ++b)
    for (uint32_t i = function.blocks[b].begin; i < function.blocks[b].end; ++i)
      block_of[i] = b;

  std::vector<std::vector<uint32_t>> edges(function.blocks.size());
  for (uint32_t b = 0; b < edges.size(); ++b) {
    const Instruction& last = function.instructions[function.blocks[b].end - 1];
    const Op op = last.opcode.op;
    const bool falls_through = !ends_block(op) || last.guard != kNone;
    if (falls_through) edges[b].push_back(b + 1 < edges.size() ? b + 1 : kNone);
    if (op == Op::Bra) edges[b].push_back(block_of[last.target]);
    if (op == Op::BrxIdx)
      for (uint32_t target : last.targets) edges[b].push_back(block_of[target]);
    const bool leaves = ends_block(op) && facts(op).effect != Effect::Branch;
    if (leaves) edges[b].push_back(kNone);
    std::sort(edges[b].begin(), edges[b].end());
    edges[b].erase(std::unique(edges[b].begin(), edges[b].end()), edges[b].end());
  }
  return edges;
}

}  // namespace

void build_control_flow(Function& function) {
  if (function.instructions.empty()) return;
  find_blocks(function);
  const auto edges = find_edges(function);
  const auto dominators = immediate_post_dominators(edges);
  for (uint32_t b = 0; b < function.blocks.size(); ++b) {
    BasicBlock& block = function.blocks[b];
    for (uint32_t next : edges[b])
      if (next != kNone) block.successors.push_back(next);
    block.post_dominator = dominators[b];
    Instruction& last = function.instructions[block.end - 1];
    const bool conditional = (last.opcode.op == Op::Bra && last.guard != kNone) ||
                             last.opcode.op == Op::BrxIdx;
    if (!conditional || dominators[b] == kNone) continue;
    last.join = function.blocks[dominators[b]].begin;
    function.joins.push_back(last.join);
  }
  auto& joins = function.joins;
  std::sort(joins.begin(), joins.end());
  joins.erase(std::unique(joins.begin(), joins.end()), joins.end());
}

}  // namespace minitorch::ptx
