#include "libcuda/graphs/graph.h"

#include <algorithm>

namespace minitorch::libcuda {
namespace {

struct GraphHandles {
  Handles<CUgraph, Graph> graphs;
  Handles<CUgraphNode, Node> nodes;
};

/// Never destroyed: calls may come at exit.
GraphHandles& handles() {
  static GraphHandles* const all = new GraphHandles;
  return *all;
}

}  // namespace

std::recursive_mutex& graph_mutex() {
  static std::recursive_mutex* const mutex = new std::recursive_mutex;
  return *mutex;
}

unsigned int Graph::next_id() {
  static std::atomic<unsigned int> next{1};
  return next++;
}

std::shared_ptr<Graph> Graph::create() {
  auto graph = std::make_shared<Graph>();
  graph->handle_ = handles().graphs.insert(graph);
  return graph;
}

/// Handles for the nodes; the graph has its own.
void Graph::name() {
  for (const auto& node : nodes_) node->handle = handles().nodes.insert(node);
}

Node& Graph::add(NodeWork work, std::vector<Node*> after) {
  auto node = std::make_shared<Node>();
  node->graph = this;
  node->id = next_node_++;
  node->work = std::move(work);
  node->after = std::move(after);
  if (handle_ != nullptr) node->handle = handles().nodes.insert(node);
  nodes_.push_back(node);
  return *node;
}

void Graph::remove(Node& node) {
  for (const auto& other : nodes_) std::erase(other->after, &node);
  if (auto* child = std::get_if<ChildWork>(&node.work)) child->graph->forget_handles();
  handles().nodes.take(node.handle);
  std::erase_if(nodes_, [&](const auto& mine) { return mine.get() == &node; });
}

std::shared_ptr<Graph> Graph::clone(bool named) const {
  auto copy = named ? create() : std::make_shared<Graph>();
  std::map<const Node*, Node*> twin;
  for (const auto& node : nodes_) {
    auto made = std::make_shared<Node>(*node);
    made->graph = copy.get();
    made->source = node->handle;
    made->handle = nullptr;
    made->parameters.clear();
    if (auto* child = std::get_if<ChildWork>(&made->work)) {
      child->graph = child->graph->clone(named);
      child->graph->inside_another = true;
    }
    twin[node.get()] = made.get();
    copy->nodes_.push_back(std::move(made));
  }
  for (const auto& node : copy->nodes_) {
    for (Node*& before : node->after) before = twin.at(before);
  }
  copy->next_node_ = next_node_;
  copy->objects = objects;
  if (named) copy->name();
  return copy;
}

std::vector<Node*> Graph::order() const {
  std::map<const Node*, size_t> missing;
  std::map<const Node*, std::vector<Node*>> next;
  std::vector<Node*> sorted;
  for (const auto& node : nodes_) {
    missing[node.get()] = node->after.size();
    for (const Node* before : node->after) next[before].push_back(node.get());
    if (node->after.empty()) sorted.push_back(node.get());
  }
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (Node* node : next[sorted[i]]) {
      if (--missing[node] == 0) sorted.push_back(node);
    }
  }
  if (sorted.size() != nodes_.size()) sorted.clear();
  return sorted;
}

Node* Graph::copy_of(CUgraphNode source) const {
  for (const auto& node : nodes_) {
    if (node->source == source) return node.get();
  }
  return nullptr;
}

void Graph::forget_handles() {
  for (const auto& node : nodes_) {
    handles().nodes.take(node->handle);
    if (auto* child = std::get_if<ChildWork>(&node->work)) {
      child->graph->forget_handles();
    }
  }
  handles().graphs.take(handle_);
}

std::shared_ptr<Graph> graph_of(CUgraph handle) {
  auto graph = handles().graphs.find(handle);
  require(graph != nullptr, CUDA_ERROR_INVALID_VALUE,
          "got a handle that is no live graph.");
  return graph;
}

std::shared_ptr<Node> node_of(CUgraphNode handle) {
  auto node = handles().nodes.find(handle);
  require(node != nullptr, CUDA_ERROR_INVALID_VALUE,
          "got a handle that is no node of a live graph.");
  return node;
}

std::vector<Node*> nodes_of(const Graph& graph, const CUgraphNode* wanted,
                            size_t count) {
  if (count > 0) required(wanted, "dependencies");
  std::vector<Node*> nodes;
  for (size_t i = 0; i < count; ++i) {
    Node* const node = node_of(wanted[i]).get();
    require(node->graph == &graph, CUDA_ERROR_INVALID_VALUE, "dependency ", i,
            " is a node of another graph.");
    require(std::find(nodes.begin(), nodes.end(), node) == nodes.end(),
            CUDA_ERROR_INVALID_VALUE, "dependency ", i, " is given twice.");
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace minitorch::libcuda
