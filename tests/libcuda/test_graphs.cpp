// Tests graphs made node by node: structure, launches, changes, misuse.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "graph_fixture.h"

namespace libcuda {
namespace {

using Graphs = GraphTest;
using Words = std::vector<uint32_t>;

TEST_F(Graphs, NodesRunInTheirOrder) {
  const CUdeviceptr data = alloc(64 * 4), copied = alloc(64 * 4);
  const CUgraph graph = new_graph();
  // Added backwards: only the edges say what comes first.
  const CUgraphNode last = empty_node(graph, {});
  const CUgraphNode one = add_one_node(graph, {}, data, 64);
  const CUgraphNode fill = fill_node(graph, {}, data, 41, 64);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = data;
  copy.dstDevice = copied;
  copy.WidthInBytes = 64 * 4;
  copy.Height = copy.Depth = 1;
  CUgraphNode move = nullptr;
  EXPECT_EQ(
      call("cuGraphAddMemcpyNode", &move, graph, static_cast<const CUgraphNode*>(&one),
           size_t{1}, static_cast<const CUDA_MEMCPY3D*>(&copy), context_),
      CUDA_SUCCESS);
  const CUgraphNode from[] = {fill, move}, to[] = {one, last};
  EXPECT_EQ(call("cuGraphAddDependencies", graph, +from, +to, size_t{2}), CUDA_SUCCESS);
  const CUgraphExec exec = instantiate(graph);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(cu().memset_d32_async(data, 7, 64, stream_), CUDA_SUCCESS);
    EXPECT_EQ(run(exec), CUDA_SUCCESS);
    EXPECT_EQ(words(copied, 64), Words(64, 42));
  }
  EXPECT_EQ(call("cuGraphExecDestroy", exec), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
}

TEST_F(Graphs, StructureIsTold) {
  const CUgraph graph = new_graph();
  const CUgraphNode a = empty_node(graph, {}), b = empty_node(graph, {a});
  const CUgraphNode c = empty_node(graph, {a}), d = empty_node(graph, {b, c});
  EXPECT_EQ(count("cuGraphGetNodes", graph), 4u);
  EXPECT_EQ(count("cuGraphGetRootNodes", graph), 1u);
  CUgraphNode room[6], to[6];
  size_t number = 6;
  EXPECT_EQ(call("cuGraphGetNodes", graph, +room, &number), CUDA_SUCCESS);
  EXPECT_EQ(number, 4u);
  EXPECT_EQ(room[3], d);
  EXPECT_EQ(room[4], nullptr);
  number = 6;
  EXPECT_EQ(call("cuGraphGetEdges", graph, +room, +to, &number), CUDA_SUCCESS);
  EXPECT_EQ(number, 4u);
  EXPECT_EQ(room[3], c);
  EXPECT_EQ(to[3], d);
  number = 6;
  EXPECT_EQ(call("cuGraphNodeGetDependencies", d, +room, &number), CUDA_SUCCESS);
  EXPECT_EQ(number, 2u);
  CUgraphEdgeData edges[6];
  number = 6;
  EXPECT_EQ(call("cuGraphNodeGetDependentNodes_v2", a, +room, +edges, &number),
            CUDA_SUCCESS);
  EXPECT_EQ(number, 2u);
  EXPECT_EQ(edges[1].type, 0);
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  EXPECT_EQ(call("cuGraphNodeGetType", a, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_EMPTY);
  EXPECT_EQ(call("cuGraphDestroyNode", b), CUDA_SUCCESS);
  number = 6;
  EXPECT_EQ(call("cuGraphNodeGetDependencies", d, +room, &number), CUDA_SUCCESS);
  EXPECT_EQ(number, 1u);
  EXPECT_EQ(
      call("cuGraphRemoveDependencies", graph, static_cast<const CUgraphNode*>(&c),
           static_cast<const CUgraphNode*>(&d), size_t{1}),
      CUDA_SUCCESS);
  EXPECT_EQ(count("cuGraphGetRootNodes", graph), 2u);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphNodeGetType", a, &type), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, ClonesAreOfTheirOwn) {
  const CUdeviceptr data = upload(Words(8, 0));
  const CUgraph graph = new_graph();
  const CUgraphNode node = add_one_node(graph, {}, data, 8);
  CUgraph copy = nullptr;
  ASSERT_EQ(call("cuGraphClone", &copy, graph), CUDA_SUCCESS);
  CUgraphNode twin = nullptr;
  EXPECT_EQ(call("cuGraphNodeFindInClone", &twin, node, copy), CUDA_SUCCESS);
  EXPECT_NE(twin, node);
  EXPECT_EQ(call("cuGraphNodeFindInClone", &twin, node, graph),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
  EXPECT_EQ(run(instantiate(copy)), CUDA_SUCCESS);
  EXPECT_EQ(words(data, 8), Words(8, 1));
  EXPECT_EQ(call("cuGraphDestroy", copy), CUDA_SUCCESS);
}

TEST_F(Graphs, ParametersAreReadAndChanged) {
  const CUdeviceptr data = upload(Words(64, 0)), other = upload(Words(64, 10));
  const CUgraph graph = new_graph();
  const CUgraphNode node = add_one_node(graph, {}, data, 64);
  const CUgraphExec exec = instantiate(graph);
  CUDA_KERNEL_NODE_PARAMS_v2 given{};
  ASSERT_EQ(call("cuGraphKernelNodeGetParams_v2", node, &given), CUDA_SUCCESS);
  EXPECT_EQ(given.func, kernel("add_one"));
  EXPECT_EQ(given.blockDimX, 64u);
  EXPECT_EQ(*static_cast<CUdeviceptr*>(given.kernelParams[0]), data);
  EXPECT_EQ(*static_cast<uint32_t*>(given.kernelParams[1]), 64u);
  // What is executable changes by itself; the graph stays.
  uint32_t n = 3;
  void* parameters[] = {const_cast<CUdeviceptr*>(&other), &n};
  CUDA_KERNEL_NODE_PARAMS_v1 wanted{kernel("add_one"), 1,      1, 1, 32, 1, 1, 0,
                                    parameters,        nullptr};
  const auto* changed = &wanted;
  EXPECT_EQ(call("cuGraphExecKernelNodeSetParams", exec, node, changed), CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(words(data, 64), Words(64, 0));
  EXPECT_EQ(words(other, 4), (Words{11, 11, 11, 10}));
  EXPECT_EQ(call("cuGraphKernelNodeSetParams", node, changed), CUDA_SUCCESS);
  EXPECT_EQ(run(instantiate(graph)), CUDA_SUCCESS);
  EXPECT_EQ(words(other, 4), (Words{12, 12, 12, 10}));
  wanted.blockDimX = 4096;
  EXPECT_EQ(call("cuGraphKernelNodeSetParams", node, changed),
            CUDA_ERROR_INVALID_VALUE);
  CUDA_MEMSET_NODE_PARAMS_v1 fill{};
  EXPECT_EQ(call("cuGraphMemsetNodeGetParams", node, &fill), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, AnUpdateTakesOverAGraphOfTheSameShape) {
  const CUdeviceptr data = alloc(8 * 4);
  const CUgraph first = new_graph(), second = new_graph(), third = new_graph();
  fill_node(first, {}, data, 1, 8);
  const CUgraphNode fill = fill_node(second, {}, data, 2, 8);
  const CUgraphNode empty = empty_node(third, {});
  const CUgraphExec exec = instantiate(first);
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(call("cuGraphExecUpdate_v2", exec, second, &info), CUDA_SUCCESS);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(words(data, 8), Words(8, 2));
  const CUDA_MEMSET_NODE_PARAMS_v1 wanted{data, 0, 9, 4, 8, 1};
  EXPECT_EQ(call("cuGraphExecMemsetNodeSetParams", exec, fill, &wanted, context_),
            CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(words(data, 8), Words(8, 9));
  EXPECT_EQ(call("cuGraphExecUpdate_v2", exec, third, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  EXPECT_EQ(info.errorNode, empty);
  empty_node(second, {fill});
  CUgraphNode node = nullptr;
  CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  EXPECT_EQ(call("cuGraphExecUpdate", exec, second, &node, &result),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
}

TEST_F(Graphs, NodesCanBeLeftOut) {
  const CUdeviceptr data = upload(Words(8, 0));
  const CUgraph graph = new_graph();
  const CUgraphNode node = add_one_node(graph, {}, data, 8);
  const CUgraphNode empty = empty_node(graph, {node});
  const CUgraphExec exec = instantiate(graph);
  EXPECT_EQ(call("cuGraphNodeSetEnabled", exec, node, 0u), CUDA_SUCCESS);
  unsigned int enabled = 1;
  EXPECT_EQ(call("cuGraphNodeGetEnabled", exec, node, &enabled), CUDA_SUCCESS);
  EXPECT_EQ(enabled, 0u);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(words(data, 8), Words(8, 0));
  EXPECT_EQ(call("cuGraphNodeSetEnabled", exec, node, 1u), CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(words(data, 8), Words(8, 1));
  EXPECT_EQ(call("cuGraphNodeSetEnabled", exec, empty, 0u), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, HostFunctionsChildrenAndEventsAreNodes) {
  const CUdeviceptr data = upload(Words(8, 0));
  const CUgraph inner = new_graph(), graph = new_graph();
  add_one_node(inner, {}, data, 8);
  CUgraphNode child = nullptr, host = nullptr, record = nullptr, second = nullptr;
  const CUgraphNode* none = nullptr;
  ASSERT_EQ(call("cuGraphAddChildGraphNode", &child, graph, none, size_t{0}, inner),
            CUDA_SUCCESS);
  const CUDA_HOST_NODE_PARAMS_v1 function{
      [](void* user) { ++*static_cast<int*>(user); }, nullptr};
  int calls = 0;
  CUDA_HOST_NODE_PARAMS_v1 counting = function;
  counting.userData = &calls;
  const auto* wanted = &counting;
  const CUgraphNode* after = &child;
  ASSERT_EQ(call("cuGraphAddHostNode", &host, graph, after, size_t{1}, wanted),
            CUDA_SUCCESS);
  CUevent event = nullptr;
  ASSERT_EQ(cu().event_create(&event, 0), CUDA_SUCCESS);
  after = &host;
  ASSERT_EQ(call("cuGraphAddEventRecordNode", &record, graph, after, size_t{1}, event),
            CUDA_SUCCESS);
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_GRAPH;
  any.graph.graph = inner;
  after = &record;
  ASSERT_EQ(call("cuGraphAddNode", &second, graph, after, size_t{1}, &any),
            CUDA_SUCCESS);
  const CUgraphExec exec = instantiate(graph);
  EXPECT_EQ(call("cuGraphLaunch", exec, stream_), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphLaunch", exec, stream_), CUDA_SUCCESS);
  EXPECT_EQ(cu().event_synchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(cu().stream_synchronize(stream_), CUDA_SUCCESS);
  EXPECT_EQ(words(data, 8), Words(8, 4));
  CUgraph copy = nullptr;
  EXPECT_EQ(call("cuGraphChildGraphNodeGetGraph", child, &copy), CUDA_SUCCESS);
  EXPECT_NE(copy, inner);
  EXPECT_EQ(count("cuGraphGetNodes", copy), 1u);
  EXPECT_EQ(call("cuGraphDestroy", copy), CUDA_ERROR_INVALID_VALUE);
  CUevent told = nullptr;
  EXPECT_EQ(call("cuGraphEventRecordNodeGetEvent", record, &told), CUDA_SUCCESS);
  EXPECT_EQ(told, event);
  cu().event_destroy(event);
}

TEST_F(Graphs, OneExecutableGraphFollowsItselfInAllStreams) {
  const CUdeviceptr data = upload(Words(1, 0));
  const CUgraph graph = new_graph();
  add_one_node(graph, {}, data, 1);
  const CUgraphExec exec = instantiate(graph);
  CUstream second = nullptr;
  ASSERT_EQ(cu().stream_create(&second, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(call("cuGraphLaunch", exec, i % 2 ? stream_ : second), CUDA_SUCCESS);
  }
  EXPECT_EQ(call("cuGraphExecDestroy", exec), CUDA_SUCCESS);  // while it runs
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(words(data, 1), Words(1, 50));
  cu().stream_destroy(second);
}

TEST_F(Graphs, AFaultDropsTheRestOfTheGraph) {
  const CUdeviceptr data = upload(Words(8, 0)), small = alloc(4);
  const CUgraph graph = new_graph();
  const CUgraphNode first = add_one_node(graph, {}, data, 8);
  const CUgraphNode bad = add_one_node(graph, {first}, small, 8);
  add_one_node(graph, {bad}, data, 8);
  const CUgraphExec exec = instantiate(graph);
  EXPECT_EQ(run(exec), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(take_findings().size(), 1u);
  EXPECT_EQ(words(data, 8), Words(8, 1));
}

TEST_F(Graphs, UserObjectsLiveAsLongAsTheirGraphs) {
  int destroyed = 0;
  const CUhostFn destroy = [](void* user) { ++*static_cast<int*>(user); };
  CUuserObject object = nullptr;
  void* user = &destroyed;
  ASSERT_EQ(call("cuUserObjectCreate", &object, user, destroy, 1u, 1u), CUDA_SUCCESS);
  const CUgraph graph = new_graph();
  EXPECT_EQ(call("cuGraphRetainUserObject", graph, object, 1u, 1u), CUDA_SUCCESS);
  CUgraph copy = nullptr;
  EXPECT_EQ(call("cuGraphClone", &copy, graph), CUDA_SUCCESS);
  const CUgraphExec exec = instantiate(graph);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphDestroy", copy), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(call("cuGraphExecDestroy", exec), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(call("cuUserObjectRelease", object, 1u), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(call("cuUserObjectCreate", &object, user, destroy, 2u, 1u), CUDA_SUCCESS);
  EXPECT_EQ(call("cuUserObjectRetain", object, 1u), CUDA_SUCCESS);
  EXPECT_EQ(call("cuUserObjectRelease", object, 4u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuUserObjectRelease", object, 3u), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(call("cuUserObjectCreate", &object, user, destroy, 0u, 1u),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuUserObjectCreate", &object, user, destroy, 1u, 0u),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, MisuseIsRefused) {
  const CUgraph graph = new_graph(), other = new_graph();
  const CUgraphNode a = empty_node(graph, {}), b = empty_node(graph, {a});
  const CUgraphNode foreign = empty_node(other, {});
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  const CUgraphNode twice[] = {a, a};
  EXPECT_EQ(call("cuGraphAddEmptyNode", &node, graph,
                 static_cast<const CUgraphNode*>(&foreign), size_t{1}),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuGraphAddEmptyNode", &node, graph, +twice, size_t{2}),
            CUDA_ERROR_INVALID_VALUE);
  const CUgraphNode* none = nullptr;
  EXPECT_EQ(call("cuGraphAddEmptyNode", &node, graph, none, size_t{1}),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuGraphAddDependencies", graph, static_cast<const CUgraphNode*>(&a),
                 static_cast<const CUgraphNode*>(&b), size_t{1}),
            CUDA_ERROR_INVALID_VALUE);  // there already
  EXPECT_EQ(call("cuGraphAddDependencies", graph, static_cast<const CUgraphNode*>(&b),
                 static_cast<const CUgraphNode*>(&a), size_t{1}),
            CUDA_SUCCESS);  // a cycle
  EXPECT_EQ(call("cuGraphInstantiateWithFlags", &exec, graph, 0ull),
            CUDA_ERROR_INVALID_VALUE);
  CUDA_GRAPH_INSTANTIATE_PARAMS wanted{};
  EXPECT_EQ(call("cuGraphInstantiateWithParams", &exec, graph, &wanted),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(wanted.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
  EXPECT_EQ(call("cuGraphInstantiateWithFlags", &exec, other, 0x100ull),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuGraphInstantiateWithFlags", &exec, other, 4ull),
            CUDA_ERROR_NOT_SUPPORTED);
  CUgraph made = nullptr;
  EXPECT_EQ(call("cuGraphCreate", &made, 1u), CUDA_ERROR_INVALID_VALUE);
  CUgraph* nowhere = nullptr;
  EXPECT_EQ(call("cuGraphCreate", nowhere, 0u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuGraphLaunch", exec, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuGraphExecDestroy", exec), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, MemoryOfAGraphLivesFromNodeToNode) {
  const CUdeviceptr out = upload(Words(8, 0));
  const CUgraph graph = new_graph();
  CUDA_MEM_ALLOC_NODE_PARAMS_v1 wanted{};
  wanted.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  wanted.bytesize = 32;
  CUgraphNode begin = nullptr, end = nullptr, copy = nullptr;
  const CUgraphNode* none = nullptr;
  ASSERT_EQ(call("cuGraphAddMemAllocNode", &begin, graph, none, size_t{0}, &wanted),
            CUDA_SUCCESS);
  ASSERT_NE(wanted.dptr, 0u);
  const CUgraphNode fill = fill_node(graph, {begin}, wanted.dptr, 6, 8);
  CUDA_MEMCPY3D move{};
  move.srcMemoryType = move.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  move.srcDevice = wanted.dptr;
  move.dstDevice = out;
  move.WidthInBytes = 32;
  move.Height = move.Depth = 1;
  const CUgraphNode* after = &fill;
  ASSERT_EQ(call("cuGraphAddMemcpyNode", &copy, graph, after, size_t{1},
                 static_cast<const CUDA_MEMCPY3D*>(&move), context_),
            CUDA_SUCCESS);
  after = &copy;
  ASSERT_EQ(call("cuGraphAddMemFreeNode", &end, graph, after, size_t{1}, wanted.dptr),
            CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphAddMemFreeNode", &end, graph, after, size_t{1}, out),
            CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr told = 0;
  EXPECT_EQ(call("cuGraphMemFreeNodeGetParams", end, &told), CUDA_SUCCESS);
  EXPECT_EQ(told, wanted.dptr);
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  EXPECT_EQ(call("cuGraphNodeGetType", end, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_MEM_FREE);
  const CUgraphExec exec = instantiate(graph);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(words(out, 8), Words(8, 6));
  // After the launch it is no memory any more.
  EXPECT_EQ(launch("unguarded", 1, 8, stream_, wanted.dptr), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(stream_), CUDA_ERROR_ILLEGAL_ADDRESS);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MtFinding_UseAfterFree);
  uint64_t before = 0, bytes = 0;  // other tests' graphs may live on
  void* room = &before;
  EXPECT_EQ(call("cuDeviceGetGraphMemAttribute", CUdevice{0}, 0, room), CUDA_SUCCESS);
  EXPECT_GE(before, 32u);
  room = &bytes;
  EXPECT_EQ(call("cuGraphExecDestroy", exec), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
  EXPECT_EQ(call("cuDeviceGetGraphMemAttribute", CUdevice{0}, 0, room), CUDA_SUCCESS);
  EXPECT_EQ(bytes, before - 32);
}

TEST_F(Graphs, CanBeDrawn) {
  const CUgraph graph = new_graph();
  empty_node(graph, {empty_node(graph, {})});
  const std::string path =
      (std::filesystem::temp_directory_path() / "minitorch_graph.dot").string();
  EXPECT_EQ(call("cuGraphDebugDotPrint", graph, path.c_str(), 0u), CUDA_SUCCESS);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("n0 -> n1;"), std::string::npos) << text;
  std::filesystem::remove(path);
  EXPECT_EQ(call("cuGraphDebugDotPrint", graph, "/nowhere/at/all.dot", 0u),
            CUDA_ERROR_OPERATING_SYSTEM);
}

}  // namespace
}  // namespace libcuda
