#include "libcuda/graphs/graph_exec.h"

#include <chrono>

#include "libcuda/streams/memory_use.h"

namespace minitorch::libcuda {
namespace {

int64_t now_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Uses of memory by their number in a launch.
using UseSet = std::vector<bool>;

void merge(UseSet& to, const UseSet& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) to[i] = to[i] || from[i];
}

/// One launch: its nodes' operations one after the other, in an order that the graph
/// allows.
struct Run {
  std::shared_ptr<Stream> stream;
  std::vector<Operation> steps;
  std::shared_ptr<NodeOrder> order = std::make_shared<NodeOrder>();
  UseSet before;  // uses that are over when the node that is being added begins
  std::vector<Ticket> waits;
  std::vector<std::pair<std::shared_ptr<Event>, std::shared_ptr<EventRecord>>> records;
  UserObjectReferences objects;
  bool tells_host = false;

  void run() {
    for (const Operation& step : steps) {
      const bool cancelled = stream->queue->cancel().requested();
      if (!cancelled && stream->context->fault() == CUDA_SUCCESS) {
        step.run();
      } else if (step.drop) {
        step.drop(cancelled);
      }
    }
  }
  void drop(bool cancelled) {
    for (const Operation& step : steps) {
      if (step.drop) step.drop(cancelled);
    }
  }

  /// What is over when the graph begins, and what is when it ends.
  UseSet add(const Graph& graph, const UseSet& begin) {
    std::map<const Node*, UseSet> over;
    UseSet all = begin;
    for (const Node* node : graph.order()) {
      before = begin;
      for (const Node* earlier : node->after) merge(before, over[earlier]);
      if (node->enabled) std::visit([&](const auto& work) { add(work); }, node->work);
      over[node] = before;
      merge(all, before);
    }
    return all;
  }
  /// A step, of which nodes come first is in `before`; then it is there, too.
  void add(Operation step) {
    for (const auto& use : step.uses) {
      use->nodes = order;
      use->node = order->before.size();
      order->before.push_back(before);
      before.resize(use->node + 1);
      before[use->node] = true;
    }
    steps.push_back(std::move(step));
  }
  void add(const KernelWork& work) { add(operation_of(work, stream, true)); }
  void add(const CopyWork& work) { add(operation_of(work, stream, true)); }
  void add(const FillWork& work) { add(operation_of(work, stream, true)); }
  void add(const HostWork& work) {
    add(operation_of(work, stream));
    tells_host = true;
  }
  void add(const ChildWork& work) { before = add(*work.graph, UseSet(before)); }
  void add(const EmptyWork&) {}
  void add(const AllocWork& work) {
    steps.push_back({[memory = work.memory] { memory->begin(); }, {}, {}});
  }
  void add(const FreeWork& work) {
    const auto end = [memory = work.memory] { memory->end(); };
    steps.push_back({end, [end](bool) { end(); }, {}});
  }
  void add(const WaitWork& work) {
    const auto record = work.event->last_record();
    if (record != nullptr && record->place == nullptr) waits.push_back(record->ticket);
  }
  void add(const RecordWork& work) {
    auto record = std::make_shared<EventRecord>();
    record->context = stream->context;
    const auto stamp = [record] { record->nanoseconds = now_nanoseconds(); };
    steps.push_back({stamp, [stamp](bool) { stamp(); }, {}});
    records.emplace_back(work.event, std::move(record));
  }
};

/// Whether two nodes depend on the nodes of the same places in their graphs.
bool same_place(const Graph& a, const Node& one, const Graph& b, const Node& two) {
  if (one.after.size() != two.after.size()) return false;
  const auto place = [](const Graph& graph, const Node* node) {
    size_t at = 0;
    while (graph.nodes()[at].get() != node) ++at;
    return at;
  };
  for (size_t i = 0; i < one.after.size(); ++i) {
    if (place(a, one.after[i]) != place(b, two.after[i])) return false;
  }
  return true;
}

}  // namespace

GraphExec::GraphExec(const Graph& graph, unsigned long long flags)
    : flags(flags), graph_(graph.clone(false)) {
  require(!graph.order().empty() || graph.nodes().empty(), CUDA_ERROR_INVALID_VALUE,
          "the graph has a cycle; need an order without one.");
}

void GraphExec::launch(const std::shared_ptr<Stream>& stream) {
  auto run = std::make_shared<Run>();
  run->stream = stream;
  run->objects = graph_->objects;
  run->add(*graph_, {});
  Operation operation{[run] { run->run(); },
                      [run](bool cancelled) { run->drop(cancelled); }, run->waits};
  if (last_.queue != nullptr) operation.after.push_back(last_);
  operation.tells_host = run->tells_host;
  for (const Operation& step : run->steps) {
    operation.uses.insert(operation.uses.end(), step.uses.begin(), step.uses.end());
  }
  last_ = stream->context->queues().submit(stream->queue, std::move(operation));
  for (const auto& [event, record] : run->records) {
    record->ticket = last_;
    std::lock_guard lock(event->mutex);
    event->record = record;
  }
}

Node& GraphExec::node_for(CUgraphNode original) const {
  Node* node = graph_->copy_of(original);
  if (node == nullptr) {
    const auto found = updated_from_.find(original);
    if (found != updated_from_.end()) node = found->second;
  }
  require(node != nullptr, CUDA_ERROR_INVALID_VALUE,
          "got a node that is not of the graph that was instantiated.");
  return *node;
}

CUgraphExecUpdateResultInfo GraphExec::update(const Graph& graph) {
  const auto& mine = graph_->nodes();
  const auto& theirs = graph.nodes();
  if (mine.size() != theirs.size()) {
    return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
  }
  for (size_t i = 0; i < mine.size(); ++i) {
    if (mine[i]->type() != theirs[i]->type()) {
      return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, theirs[i]->handle, nullptr};
    }
    if (!same_place(*graph_, *mine[i], graph, *theirs[i])) {
      return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, theirs[i]->handle, nullptr};
    }
  }
  const auto fresh = graph.clone(false);
  for (size_t i = 0; i < mine.size(); ++i) {
    mine[i]->work = fresh->nodes()[i]->work;
    mine[i]->attributes = fresh->nodes()[i]->attributes;
    updated_from_[theirs[i]->handle] = mine[i].get();
  }
  graph_->objects = graph.objects;
  return {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
}

}  // namespace minitorch::libcuda
