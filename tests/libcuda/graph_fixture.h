// The graph functions as the tests call them.
#pragma once

#include <string>
#include <vector>

#include "cuda_abi/work_types.h"
#include "fixture.h"

namespace libcuda {

class GraphTest : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    ASSERT_EQ(cu().stream_create(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  }
  void TearDown() override {
    cu().stream_destroy(stream_);
    DriverTest::TearDown();
  }

  /// Any function by name; arguments of exactly its types.
  template <class... Arguments>
  static CUresult call(const char* symbol, Arguments... arguments) {
    auto* function = cu().find<CUresult(Arguments...)>(symbol);
    EXPECT_NE(function, nullptr) << symbol;
    return function(arguments...);
  }

  static CUgraph new_graph() {
    CUgraph graph = nullptr;
    EXPECT_EQ(call("cuGraphCreate", &graph, 0u), CUDA_SUCCESS);
    return graph;
  }
  using Nodes = std::vector<CUgraphNode>;

  /// A node that adds one to each of `n` words at `data`.
  CUgraphNode add_one_node(CUgraph graph, const Nodes& after, CUdeviceptr data,
                           uint32_t n) {
    void* parameters[] = {&data, &n};
    const CUDA_KERNEL_NODE_PARAMS_v1 wanted{
        kernel("add_one"), 1, 1, 1, 64, 1, 1, 0, parameters, nullptr};
    CUgraphNode node = nullptr;
    EXPECT_EQ(
        call("cuGraphAddKernelNode", &node, graph, after.data(), after.size(), &wanted),
        CUDA_SUCCESS)
        << last_message();
    return node;
  }
  CUgraphNode fill_node(CUgraph graph, const Nodes& after, CUdeviceptr data,
                        uint32_t value, size_t n) {
    const CUDA_MEMSET_NODE_PARAMS_v1 wanted{data, 0, value, 4, n, 1};
    CUgraphNode node = nullptr;
    EXPECT_EQ(call("cuGraphAddMemsetNode", &node, graph, after.data(), after.size(),
                   &wanted, context_),
              CUDA_SUCCESS);
    return node;
  }
  CUgraphNode empty_node(CUgraph graph, const Nodes& after) {
    CUgraphNode node = nullptr;
    EXPECT_EQ(call("cuGraphAddEmptyNode", &node, graph, after.data(), after.size()),
              CUDA_SUCCESS);
    return node;
  }
  static CUgraphExec instantiate(CUgraph graph) {
    CUgraphExec exec = nullptr;
    EXPECT_EQ(call("cuGraphInstantiateWithFlags", &exec, graph, 0ull), CUDA_SUCCESS);
    return exec;
  }
  CUresult run(CUgraphExec exec) {
    const CUresult launched = call("cuGraphLaunch", exec, stream_);
    if (launched != CUDA_SUCCESS) return launched;
    return cu().stream_synchronize(stream_);
  }
  static size_t count(const char* symbol, CUgraph graph) {
    size_t number = 0;
    CUgraphNode* nowhere = nullptr;
    EXPECT_EQ(call(symbol, graph, nowhere, &number), CUDA_SUCCESS);
    return number;
  }
  std::vector<uint32_t> words(CUdeviceptr data, size_t n) {
    return download<uint32_t>(data, n);
  }

  CUstream stream_ = nullptr;
};

}  // namespace libcuda
