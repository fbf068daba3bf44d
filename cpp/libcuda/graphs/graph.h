// Graphs: nodes of work and the order between them, user objects, handles.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "cuda_abi/work_types.h"
#include "libcuda/contexts/handles.h"
#include "libcuda/contexts/process.h"
#include "libcuda/graphs/graph_memory.h"
#include "libcuda/graphs/user_objects.h"
#include "libcuda/launches/work.h"

namespace minitorch::libcuda {

class Graph;

/// A graph of its own inside another one's node.
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct EmptyWork {};
/// Waits for the event's last record at the time of the launch.
struct WaitWork {
  CUevent handle = nullptr;
  std::shared_ptr<Event> event;
};
struct RecordWork {
  CUevent handle = nullptr;
  std::shared_ptr<Event> event;
};

/// In the order of CUgraphNodeType, which has two more before the last two.
using NodeWork = std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork,
                              EmptyWork, WaitWork, RecordWork, AllocWork, FreeWork>;

struct Node {
  CUgraphNode handle = nullptr;
  Graph* graph = nullptr;
  unsigned int id = 0;           // in its graph
  CUgraphNode source = nullptr;  // the node that this one was copied from
  NodeWork work;
  std::vector<Node*> after;  // what it depends on
  bool enabled = true;       // in an executable graph
  std::map<int, Stream::Attribute> attributes;
  std::vector<void*> parameters;  // as cuGraphKernelNodeGetParams gives them

  CUgraphNodeType type() const {
    const size_t index = work.index();
    return static_cast<CUgraphNodeType>(index <= 7 ? index : index + 2);
  }
};

class Graph {
 public:
  /// With a handle, as clients know it.
  static std::shared_ptr<Graph> create();

  Node& add(NodeWork work, std::vector<Node*> after);
  /// Also takes the node's edges; its handle is of no more use.
  void remove(Node& node);
  /// A copy with the same order of nodes; only a `named` one has handles for clients.
  std::shared_ptr<Graph> clone(bool named) const;
  /// The nodes so that each comes after what it depends on; empty for a cycle.
  std::vector<Node*> order() const;
  /// The copy of the node with this handle, or null.
  Node* copy_of(CUgraphNode source) const;

  const std::vector<std::shared_ptr<Node>>& nodes() const { return nodes_; }
  CUgraph handle() const { return handle_; }
  /// Takes this graph's handles, and those of the graphs in its nodes, from clients.
  void forget_handles();

  const unsigned int id = next_id();
  bool inside_another = false;   // belongs to a node
  bool being_captured = false;   // belongs to a capture until that ends
  UserObjectReferences objects;  // kept alive by the graph

 private:
  static unsigned int next_id();
  void name();

  CUgraph handle_ = nullptr;
  unsigned int next_node_ = 0;
  std::vector<std::shared_ptr<Node>> nodes_;
};

/// Guards all graphs and captures: the client's threads may share them.
std::recursive_mutex& graph_mutex();

std::shared_ptr<Graph> graph_of(CUgraph handle);
std::shared_ptr<Node> node_of(CUgraphNode handle);
/// The graph's nodes named by an array of the client; fails for others and for doubles.
std::vector<Node*> nodes_of(const Graph& graph, const CUgraphNode* handles,
                            size_t count);

}  // namespace minitorch::libcuda
