// Blocks, post-dominators (against their definition, on random graphs) and joins.
#include <gtest/gtest.h>

#include <random>

#include "ptx/analysis.h"
#include "ptx_text.h"

namespace minitorch::ptx {
namespace {

using Graph = std::vector<std::vector<uint32_t>>;

// Can `from` reach the exit without passing through `without`?
bool reaches_exit(const Graph& graph, uint32_t from, uint32_t without) {
  std::vector<bool> seen(graph.size());
  std::vector<uint32_t> work{from};
  while (!work.empty()) {
    const uint32_t node = work.back();
    work.pop_back();
    if (node == kNone) return true;
    if (node == without || seen[node]) continue;
    seen[node] = true;
    work.insert(work.end(), graph[node].begin(), graph[node].end());
  }
  return false;
}

// By definition: of the nodes on every path from `node` to the exit, the nearest one,
// i.e. the one that all others post-dominate.
uint32_t immediate_by_definition(const Graph& graph, uint32_t node) {
  std::vector<uint32_t> strict;
  for (uint32_t d = 0; d < graph.size(); ++d)
    if (d != node && !reaches_exit(graph, node, d)) strict.push_back(d);
  for (uint32_t nearest : strict) {
    bool all = true;
    for (uint32_t other : strict)
      all &= other == nearest || !reaches_exit(graph, nearest, other);
    if (all) return nearest;
  }
  return kNone;
}

TEST(PostDominators, AgreeWithTheDefinitionOnRandomGraphs) {
  std::mt19937 random(7);
  int compared = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const uint32_t nodes = 1 + random() % 12;
    Graph graph(nodes);
    for (uint32_t node = 0; node < nodes; ++node) {
      const uint32_t edges = 1 + random() % 3;
      for (uint32_t e = 0; e < edges; ++e) {
        const uint32_t next = random() % (nodes + 1);
        graph[node].push_back(next == nodes ? kNone : next);
      }
    }
    bool all_leave = true;
    for (uint32_t node = 0; node < nodes; ++node)
      all_leave &= reaches_exit(graph, node, nodes);
    if (!all_leave) continue;  // post-dominance is not defined there
    const auto found = immediate_post_dominators(graph);
    for (uint32_t node = 0; node < nodes; ++node, ++compared)
      ASSERT_EQ(found[node], immediate_by_definition(graph, node))
          << "trial " << trial << ", node " << node;
  }
  EXPECT_GT(compared, 500);
}

TEST(PostDominators, EndlessLoopsStillJoin) {
  // 0: head, 1 and 2: two ways, 3: back to the head; no exit at all.
  const auto found = immediate_post_dominators({{1, 2}, {3}, {3}, {0}});
  EXPECT_EQ(found[0], kNone);
  EXPECT_EQ(found[1], 3u);
  EXPECT_EQ(found[2], 3u);
  EXPECT_EQ(found[3], 0u);
  EXPECT_EQ(immediate_post_dominators({{0}}), (std::vector<uint32_t>{kNone}));
}

TEST(PostDominators, DeepChainsDoNotOverflowTheStack) {
  constexpr uint32_t kNodes = 200000;
  Graph graph(kNodes);
  for (uint32_t node = 0; node + 1 < kNodes; ++node) graph[node] = {node + 1};
  graph.back() = {kNone};
  EXPECT_EQ(immediate_post_dominators(graph)[0], 1u);
}

TEST(ControlFlow, IfElseJoinsAfterBoth) {
  const auto module = decode_kernel(
      "@%p1 bra ELSE; mov.u32 %r1, 1; bra END; ELSE: mov.u32 %r1, 2; END: ret;");
  const Function& function = kernel_of(*module);
  ASSERT_EQ(function.blocks.size(), 4u);
  EXPECT_EQ(function.blocks[0].successors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(function.instructions[0].join, 4u);
  EXPECT_EQ(function.joins, (std::vector<uint32_t>{4}));
}

TEST(ControlFlow, LoopsJoinBehindTheirBranch) {
  const auto module = decode_kernel("L: add.s32 %r1, %r1, 1; @%p1 bra L; ret;");
  const Function& function = kernel_of(*module);
  EXPECT_EQ(function.instructions[1].join, 2u);
  EXPECT_EQ(function.blocks[0].successors, (std::vector<uint32_t>{0, 1}));
}

TEST(ControlFlow, GuardedReturnsLeadToTheExit) {
  const auto module =
      decode_kernel("@%p1 bra A; @%p2 ret; A: @%p3 exit; mov.u32 %r1, 1; ret;");
  const Function& function = kernel_of(*module);
  // Some threads leave before A, but those that do not still meet nowhere earlier.
  EXPECT_EQ(function.instructions[0].join, kNone);
  EXPECT_EQ(function.blocks[1].successors, (std::vector<uint32_t>{2}));
  EXPECT_EQ(function.blocks[1].post_dominator, kNone);
  EXPECT_TRUE(function.joins.empty());
}

TEST(ControlFlow, TablesOfTargetsHaveOneJoin) {
  const auto module = decode_kernel(
      "T: .branchtargets A, B, A; brx.idx %r1, T; A: bra END; B: bra END; END: ret;");
  const Function& function = kernel_of(*module);
  EXPECT_EQ(function.blocks[0].successors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(function.instructions[0].join, 3u);
}

TEST(ControlFlow, BlocksTileTheFunction) {
  const auto module = decode_kernel(
      "A: @%p1 bra B; trap; B: call f; @%p2 bra A; bra B;", ".func f() { ret; }");
  const Function& function = kernel_of(*module);
  uint32_t at = 0;
  for (const BasicBlock& block : function.blocks) {
    EXPECT_EQ(block.begin, at);
    EXPECT_GT(block.end, block.begin);
    at = block.end;
  }
  EXPECT_EQ(at, function.instructions.size());
}

}  // namespace
}  // namespace minitorch::ptx
