// The functions about the structure of graphs: nodes, edges, copies.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <variant>

#include "libcuda/exports/exports.h"
#include "libcuda/graphs/graph.h"
#include "libcuda/graphs/graph_edges.h"

namespace minitorch::libcuda::api {
namespace {

/// CUDA's way to return a list: its length without room for it, else what fits.
void give_list(const std::vector<CUgraphNode>& list, CUgraphNode* room, size_t* count) {
  required(count, "the count");
  if (room == nullptr) {
    *count = list.size();
    return;
  }
  for (size_t i = 0; i < *count; ++i) room[i] = i < list.size() ? list[i] : nullptr;
  *count = std::min(*count, list.size());
}

void clear_edges(CUgraphEdgeData* edges, const size_t* count) {
  if (edges != nullptr && count != nullptr) {
    std::memset(edges, 0, *count * sizeof *edges);
  }
}

template <class Change>
CUresult change_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                      size_t count, Change change) {
  std::lock_guard lock(graph_mutex());
  const auto graph = graph_of(handle);
  if (count == 0) return CUDA_SUCCESS;
  required(from, "from");
  required(to, "to");
  for (size_t i = 0; i < count; ++i) {
    Node* const before = node_of(from[i]).get();
    Node* const after = node_of(to[i]).get();
    require(before->graph == graph.get() && after->graph == graph.get(),
            CUDA_ERROR_INVALID_VALUE, "edge ", i, " is of another graph's nodes.");
    change(before, after, i);
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult graph_create(CUgraph* graph, unsigned int flags) {
  required(graph, "phGraph");
  require(flags == 0, CUDA_ERROR_INVALID_VALUE, "got flags ", flags, "; need 0.");
  std::lock_guard lock(graph_mutex());
  *graph = Graph::create()->handle();
  return CUDA_SUCCESS;
}

CUresult graph_destroy(CUgraph handle) {
  std::lock_guard lock(graph_mutex());
  const auto graph = graph_of(handle);
  require(!graph->inside_another && !graph->being_captured, CUDA_ERROR_INVALID_VALUE,
          "the graph belongs to a node or a capture.");
  graph->forget_handles();
  return CUDA_SUCCESS;
}

CUresult graph_clone(CUgraph* copy, CUgraph original) {
  required(copy, "phGraphClone");
  std::lock_guard lock(graph_mutex());
  *copy = graph_of(original)->clone(true)->handle();
  return CUDA_SUCCESS;
}

CUresult graph_node_find_in_clone(CUgraphNode* node, CUgraphNode original,
                                  CUgraph copy) {
  required(node, "phNode");
  std::lock_guard lock(graph_mutex());
  const Node* found = graph_of(copy)->copy_of(node_of(original)->handle);
  require(found != nullptr, CUDA_ERROR_INVALID_VALUE,
          "the graph is no copy of the node's graph.");
  *node = found->handle;
  return CUDA_SUCCESS;
}

CUresult graph_node_get_type(CUgraphNode handle, CUgraphNodeType* type) {
  std::lock_guard lock(graph_mutex());
  required(type, "type") = node_of(handle)->type();
  return CUDA_SUCCESS;
}

CUresult graph_node_get_containing_graph(CUgraphNode handle, CUgraph* graph) {
  std::lock_guard lock(graph_mutex());
  required(graph, "phGraph") = node_of(handle)->graph->handle();
  return CUDA_SUCCESS;
}

CUresult graph_node_get_local_id(CUgraphNode handle, unsigned int* id) {
  std::lock_guard lock(graph_mutex());
  required(id, "nodeId") = node_of(handle)->id;
  return CUDA_SUCCESS;
}

CUresult graph_get_id(CUgraph handle, unsigned int* id) {
  std::lock_guard lock(graph_mutex());
  required(id, "graphId") = graph_of(handle)->id;
  return CUDA_SUCCESS;
}

CUresult graph_get_nodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  std::lock_guard lock(graph_mutex());
  std::vector<CUgraphNode> list;
  for (const auto& node : graph_of(handle)->nodes()) list.push_back(node->handle);
  give_list(list, nodes, count);
  return CUDA_SUCCESS;
}

CUresult graph_get_root_nodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  std::lock_guard lock(graph_mutex());
  std::vector<CUgraphNode> list;
  for (const auto& node : graph_of(handle)->nodes()) {
    if (node->after.empty()) list.push_back(node->handle);
  }
  give_list(list, nodes, count);
  return CUDA_SUCCESS;
}

CUresult graph_get_edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to,
                         size_t* count) {
  require((from == nullptr) == (to == nullptr), CUDA_ERROR_INVALID_VALUE,
          "got one of 'from' and 'to'; need both or neither.");
  std::lock_guard lock(graph_mutex());
  std::vector<CUgraphNode> starts, ends;
  for (const auto& node : graph_of(handle)->nodes()) {
    for (const Node* before : node->after) {
      starts.push_back(before->handle);
      ends.push_back(node->handle);
    }
  }
  size_t room = required(count, "numEdges");
  give_list(starts, from, &room);
  give_list(ends, to, count);
  return CUDA_SUCCESS;
}

CUresult graph_get_edges_v2(CUgraph handle, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* edges, size_t* count) {
  clear_edges(edges, count);
  return graph_get_edges(handle, from, to, count);
}

CUresult graph_node_get_dependencies(CUgraphNode handle, CUgraphNode* nodes,
                                     size_t* count) {
  std::lock_guard lock(graph_mutex());
  std::vector<CUgraphNode> list;
  for (const Node* node : node_of(handle)->after) list.push_back(node->handle);
  give_list(list, nodes, count);
  return CUDA_SUCCESS;
}

CUresult graph_node_get_dependencies_v2(CUgraphNode handle, CUgraphNode* nodes,
                                        CUgraphEdgeData* edges, size_t* count) {
  clear_edges(edges, count);
  return graph_node_get_dependencies(handle, nodes, count);
}

CUresult graph_node_get_dependent_nodes(CUgraphNode handle, CUgraphNode* nodes,
                                        size_t* count) {
  std::lock_guard lock(graph_mutex());
  const auto before = node_of(handle);
  std::vector<CUgraphNode> list;
  for (const auto& node : before->graph->nodes()) {
    const auto& after = node->after;
    const bool depends =
        std::find(after.begin(), after.end(), before.get()) != after.end();
    if (depends) list.push_back(node->handle);
  }
  give_list(list, nodes, count);
  return CUDA_SUCCESS;
}

CUresult graph_node_get_dependent_nodes_v2(CUgraphNode handle, CUgraphNode* nodes,
                                           CUgraphEdgeData* edges, size_t* count) {
  clear_edges(edges, count);
  return graph_node_get_dependent_nodes(handle, nodes, count);
}

CUresult graph_add_dependencies(CUgraph handle, const CUgraphNode* from,
                                const CUgraphNode* to, size_t count) {
  return change_edges(handle, from, to, count, [](Node* before, Node* node, size_t i) {
    const bool known =
        std::find(node->after.begin(), node->after.end(), before) != node->after.end();
    require(!known && before != node, CUDA_ERROR_INVALID_VALUE, "edge ", i,
            " is there already, or leads to where it begins.");
    node->after.push_back(before);
  });
}

CUresult graph_add_dependencies_v2(CUgraph handle, const CUgraphNode* from,
                                   const CUgraphNode* to, const CUgraphEdgeData* edges,
                                   size_t count) {
  check_plain_edges(edges, count);
  return graph_add_dependencies(handle, from, to, count);
}

CUresult graph_remove_dependencies(CUgraph handle, const CUgraphNode* from,
                                   const CUgraphNode* to, size_t count) {
  return change_edges(handle, from, to, count, [](Node* before, Node* node, size_t i) {
    require(std::erase(node->after, before) > 0, CUDA_ERROR_INVALID_VALUE, "edge ", i,
            " is not there.");
  });
}

CUresult graph_remove_dependencies_v2(CUgraph handle, const CUgraphNode* from,
                                      const CUgraphNode* to,
                                      const CUgraphEdgeData* edges, size_t count) {
  check_plain_edges(edges, count);
  return graph_remove_dependencies(handle, from, to, count);
}

CUresult graph_destroy_node(CUgraphNode handle) {
  std::lock_guard lock(graph_mutex());
  const auto node = node_of(handle);
  require(!node->graph->being_captured, CUDA_ERROR_INVALID_VALUE,
          "the node's graph is being captured.");
  node->graph->remove(*node);
  return CUDA_SUCCESS;
}

/// The graph in the language of Graphviz: nodes by number and type.
CUresult graph_debug_dot_print(CUgraph handle, const char* path, unsigned int) {
  static constexpr const char* kTypes[] = {"kernel", "memcpy", "memset", "host",
                                           "graph",  "empty",  "wait",   "record",
                                           "alloc",  "free"};
  static_assert(std::size(kTypes) == std::variant_size_v<decltype(Node::work)>);
  std::lock_guard lock(graph_mutex());
  const auto graph = graph_of(handle);
  std::ofstream file(&required(path, "path"));
  file << "digraph graph_" << graph->id << " {\n";
  for (const auto& node : graph->nodes()) {
    file << "  n" << node->id << " [label=\"" << node->id << " "
         << kTypes[node->work.index()] << "\"];\n";
    for (const Node* before : node->after) {
      file << "  n" << before->id << " -> n" << node->id << ";\n";
    }
  }
  file << "}\n";
  file.close();
  require(file.good(), CUDA_ERROR_OPERATING_SYSTEM, "got '", path,
          "'; need a file that can be written.");
  return CUDA_SUCCESS;
}

}  // namespace minitorch::libcuda::api
