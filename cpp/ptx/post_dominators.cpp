// Immediate post-dominators of a graph (Cooper, Harvey and Kennedy, "A simple, fast
// dominance algorithm", on the reversed graph); knows no instruction.
#include <algorithm>

#include "ptx/analysis.h"

namespace minitorch::ptx {
namespace {

using Graph = std::vector<std::vector<uint32_t>>;

// Nodes that reach the exit backwards from `start` get marked.
void mark_backwards(const Graph& predecessors, uint32_t start,
                    std::vector<bool>& reached) {
  std::vector<uint32_t> work{start};
  reached[start] = true;
  while (!work.empty()) {
    const uint32_t node = work.back();
    work.pop_back();
    for (uint32_t before : predecessors[node])
      if (!reached[before]) {
        reached[before] = true;
        work.push_back(before);
      }
  }
}

// The head of a loop that never ends: a node without a way out that a later one jumps
// to.
uint32_t endless_head(const Graph& predecessors, const std::vector<bool>& reached) {
  uint32_t last = kNone;
  for (uint32_t node = static_cast<uint32_t>(reached.size()); node-- > 0;) {
    if (reached[node]) continue;
    if (last == kNone) last = node;
    for (uint32_t before : predecessors[node])
      if (before >= node && !reached[before]) return node;
  }
  return last;
}

// Nodes in post-order of the reversed graph, from the exit; iterative, for deep graphs.
std::vector<uint32_t> post_order(const Graph& predecessors, uint32_t exit) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(predecessors.size());
  std::vector<std::pair<uint32_t, size_t>> stack{{exit, 0}};
  seen[exit] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == predecessors[node].size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    const uint32_t before = predecessors[node][next++];
    if (!seen[before]) {
      seen[before] = true;
      stack.emplace_back(before, 0);
    }
  }
  return order;
}

// The immediate dominators of the reversed graph: intersects the dominators of all ways
// on, until nothing changes.
std::vector<uint32_t> solve(const Graph& successors, const Graph& predecessors,
                            uint32_t exit) {
  const std::vector<uint32_t> order = post_order(predecessors, exit);
  std::vector<uint32_t> rank(exit + 1), dominator(exit + 1, kNone);
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  dominator[exit] = exit;
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (rank[a] < rank[b]) a = dominator[a];
      while (rank[b] < rank[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) {  // without the exit itself
      const uint32_t node = order[i];
      uint32_t best = kNone;
      for (uint32_t next : successors[node])
        if (dominator[next] != kNone) best = best == kNone ? next : meet(next, best);
      if (best == dominator[node]) continue;
      dominator[node] = best;
      changed = true;
    }
  }
  return dominator;
}

}  // namespace

std::vector<uint32_t> immediate_post_dominators(const Graph& successors) {
  const auto count = static_cast<uint32_t>(successors.size());
  const uint32_t exit = count;
  Graph after = successors, predecessors(count + 1);
  for (uint32_t node = 0; node < count; ++node)
    for (uint32_t& next : after[node]) {
      if (next == kNone) next = exit;
      predecessors[next].push_back(node);
    }
  std::vector<bool> reached(count + 1);
  mark_backwards(predecessors, exit, reached);
  for (uint32_t head; (head = endless_head(predecessors, reached)) != kNone;) {
    after[head].push_back(exit);
    predecessors[exit].push_back(head);
    mark_backwards(predecessors, head, reached);
  }
  std::vector<uint32_t> dominator = solve(after, predecessors, exit);
  dominator.resize(count);
  for (uint32_t& node : dominator)
    if (node == exit) node = kNone;
  return dominator;
}

}  // namespace minitorch::ptx
