// Executable graphs: the work of a graph as it was, ready to be launched any number of
// times.
#pragma once

#include <map>
#include <memory>

#include "libcuda/graphs/graph.h"

namespace minitorch::libcuda {

class GraphExec {
 public:
  /// Throws Failure for a graph that has a cycle.
  GraphExec(const Graph& graph, unsigned long long flags);

  /// The whole graph is one operation of the stream; launches of one executable graph
  /// follow each other, in whatever streams.
  void launch(const std::shared_ptr<Stream>& stream);
  /// Takes over the work of a graph of the same shape; tells where they differ.
  CUgraphExecUpdateResultInfo update(const Graph& graph);
  /// The node made from this one of the original graph; fails when there is none.
  Node& node_for(CUgraphNode original) const;

  const Graph& graph() const { return *graph_; }
  const unsigned long long flags;

 private:
  std::shared_ptr<Graph> graph_;
  std::map<CUgraphNode, Node*> updated_from_;  // nodes of graphs given to update
  Ticket last_;
};

}  // namespace minitorch::libcuda
