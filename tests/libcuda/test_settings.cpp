// Tests the settings of contexts and streams, and the odd old functions.
#include <cstring>

#include "cuda_abi/memory_types.h"
#include "cuda_abi/work_types.h"
#include "fixture.h"

namespace libcuda {
namespace {

class Settings : public DriverTest {
 protected:
  template <class... Arguments>
  CUresult call(const char* symbol, Arguments... arguments) {
    auto* function = cu().find<CUresult(Arguments...)>(symbol);
    EXPECT_NE(function, nullptr) << symbol;
    return function(arguments...);
  }
};

TEST_F(Settings, LimitsAreReadBack) {
  size_t value = 0;
  for (int limit : {0, 1, 2}) {
    EXPECT_EQ(call("cuCtxSetLimit", limit, size_t{64} << 10), CUDA_SUCCESS);
    EXPECT_EQ(call("cuCtxGetLimit", &value, limit), CUDA_SUCCESS);
    EXPECT_EQ(value, size_t{64} << 10);
  }
  EXPECT_EQ(call("cuCtxSetLimit", 0, size_t{1} << 30), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuCtxGetLimit", &value, 3), CUDA_ERROR_UNSUPPORTED_LIMIT);
  EXPECT_EQ(call("cuCtxGetLimit", &value, 99), CUDA_ERROR_INVALID_VALUE);
  size_t* nowhere = nullptr;
  EXPECT_EQ(call("cuCtxGetLimit", nowhere, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Settings, PreferencesAreReadBack) {
  int config = -1;
  EXPECT_EQ(call("cuCtxSetCacheConfig", 2), CUDA_SUCCESS);
  EXPECT_EQ(call("cuCtxGetCacheConfig", &config), CUDA_SUCCESS);
  EXPECT_EQ(config, 2);
  EXPECT_EQ(call("cuCtxSetCacheConfig", 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuCtxSetCacheConfig", 0), CUDA_SUCCESS);
  EXPECT_EQ(call("cuCtxSetSharedMemConfig", 1), CUDA_SUCCESS);
  EXPECT_EQ(call("cuCtxGetSharedMemConfig", &config), CUDA_SUCCESS);
  EXPECT_EQ(config, 1);
  EXPECT_EQ(call("cuCtxSetSharedMemConfig", 3), CUDA_ERROR_INVALID_VALUE);
  unsigned int flags = 99;
  EXPECT_EQ(call("cuCtxSetFlags", 4u), CUDA_SUCCESS);
  EXPECT_EQ(call("cuCtxGetFlags", &flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, 4u);
  EXPECT_EQ(call("cuCtxSetFlags", 0x100u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuCtxSetFlags", 0u), CUDA_SUCCESS);
  EXPECT_EQ(call("cuProfilerStart"), CUDA_SUCCESS);
  EXPECT_EQ(call("cuProfilerStop"), CUDA_SUCCESS);
}

TEST_F(Settings, TheLastDetachEndsAContext) {
  CUcontext mine = nullptr, same = nullptr;
  ASSERT_EQ(call("cuCtxCreate_v2", &mine, 0u, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(call("cuCtxAttach", &same, 0u), CUDA_SUCCESS);
  EXPECT_EQ(same, mine);
  EXPECT_EQ(call("cuCtxAttach", &same, 1u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuCtxDetach", mine), CUDA_SUCCESS);
  CUdevice device = -1;
  EXPECT_EQ(call("cuCtxGetDevice_v2", &device, mine), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(call("cuCtxSynchronize_v2", mine), CUDA_SUCCESS);
  EXPECT_EQ(call("cuCtxDetach", mine), CUDA_SUCCESS);
  EXPECT_EQ(call("cuCtxDetach", mine), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(call("cuCtxGetDevice_v2", &device, mine), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(call("cuCtxSynchronize_v2", mine), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(call("cuCtxDetach", context_), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
}

TEST_F(Settings, OneCardHasNoPeers) {
  CUcontext other = nullptr;
  ASSERT_EQ(call("cuCtxCreate_v2", &other, 0u, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(call("cuCtxEnablePeerAccess", context_, 0u),
            CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  EXPECT_EQ(call("cuCtxEnablePeerAccess", context_, 1u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuCtxEnablePeerAccess", other, 0u), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(call("cuCtxDisablePeerAccess", context_),
            CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  int value = 1;
  EXPECT_EQ(call("cuDeviceCanAccessPeer", &value, CUdevice{0}, CUdevice{0}),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(call("cuDeviceGetP2PAttribute", &value, 1, CUdevice{0}, CUdevice{0}),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(call("cuCtxDestroy_v2", other), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
}

TEST_F(Settings, StreamsAreDescribed) {
  CUstream stream = nullptr, second = nullptr;
  ASSERT_EQ(call("cuStreamCreateWithPriority", &stream, 1u, -9), CUDA_SUCCESS);
  ASSERT_EQ(call("cuStreamCreate", &second, 0u), CUDA_SUCCESS);
  int priority = 7;
  unsigned int flags = 0;
  CUcontext context = nullptr;
  CUgreenCtx green = nullptr;
  CUdevice device = -1;
  unsigned long long id = 0, second_id = 0;
  EXPECT_EQ(call("cuStreamGetPriority", stream, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, -5);
  EXPECT_EQ(call("cuStreamGetFlags", stream, &flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, 1u);
  EXPECT_EQ(call("cuStreamGetCtx_v2", stream, &context, &green), CUDA_SUCCESS);
  EXPECT_EQ(context, context_);
  EXPECT_EQ(call("cuStreamGetDevice", stream, &device), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(call("cuStreamGetId", stream, &id), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamGetId", second, &second_id), CUDA_SUCCESS);
  EXPECT_NE(id, second_id);
  CUlaunchAttributeValue value{};
  EXPECT_EQ(call("cuStreamGetAttribute", stream, 8, &value), CUDA_SUCCESS);
  EXPECT_EQ(value.priority, -5);
  value.pad[0] = 3;
  EXPECT_EQ(call("cuStreamSetAttribute", stream, 3,
                 static_cast<const CUlaunchAttributeValue*>(&value)),
            CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamCopyAttributes", second, stream), CUDA_SUCCESS);
  value.pad[0] = 0;
  EXPECT_EQ(call("cuStreamGetAttribute", second, 3, &value), CUDA_SUCCESS);
  EXPECT_EQ(value.pad[0], 3);
  EXPECT_EQ(call("cuStreamGetAttribute", second, 2, &value), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().stream_destroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamGetId", stream, &id), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(call("cuStreamDestroy", second), CUDA_SUCCESS);
}

TEST_F(Settings, BatchesOfValuesGoInTheirOrder) {
  using Batch =
      CUresult(CUstream, unsigned int, CUstreamBatchMemOpParams*, unsigned int);
  auto* batch = cu().find<Batch>("cuStreamBatchMemOp_v2");
  ASSERT_EQ(cu().find<Batch>("cuStreamBatchMemOp") == nullptr, false);
  CUstream stream = nullptr, other = nullptr;
  ASSERT_EQ(cu().stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cu().stream_create(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  const CUdeviceptr flags = upload(std::vector<uint64_t>(4, 0));
  const auto entry = [&](int operation, size_t word, uint64_t value, unsigned int how) {
    CUstreamBatchMemOpParams made{};
    made.waitValue.operation = operation;
    made.waitValue.address = flags + 8 * word;
    made.waitValue.value64 = value;
    made.waitValue.flags = how;
    return made;
  };
  CUstreamBatchMemOpParams entries[] = {
      entry(CU_STREAM_MEM_OP_WRITE_VALUE_32, 0, 7, 0),
      entry(CU_STREAM_MEM_OP_BARRIER, 0, 0, 0),
      entry(CU_STREAM_MEM_OP_WAIT_VALUE_64, 1, uint64_t{5} << 40, 1),
      entry(CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES, 0, 0, 0),
      entry(CU_STREAM_MEM_OP_WRITE_VALUE_64, 2, uint64_t{9} << 40, 0),
      entry(CU_STREAM_MEM_OP_WAIT_VALUE_32, 0, 7, 1)};
  ASSERT_EQ(batch(stream, 6, entries, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_query(stream), CUDA_ERROR_NOT_READY);
  CUstreamBatchMemOpParams opens =
      entry(CU_STREAM_MEM_OP_WRITE_VALUE_64, 1, uint64_t{5} << 40, 0);
  ASSERT_EQ(batch(other, 1, &opens, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<uint64_t>(flags, 3),
            (std::vector<uint64_t>{7, uint64_t{5} << 40, uint64_t{9} << 40}));
  // One bad entry, and none is done.
  CUstreamBatchMemOpParams bad[] = {entry(CU_STREAM_MEM_OP_WRITE_VALUE_32, 0, 8, 0),
                                    entry(99, 0, 0, 0)};
  EXPECT_EQ(batch(stream, 2, bad, 0), CUDA_ERROR_INVALID_VALUE);
  bad[1] = entry(CU_STREAM_MEM_OP_WRITE_VALUE_32, 1000, 8, 0);
  EXPECT_EQ(batch(stream, 2, bad, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().stream_synchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<uint64_t>(flags, 1), std::vector<uint64_t>{7});
  EXPECT_EQ(batch(stream, 0, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(batch(stream, 1, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(batch(stream, 257, entries, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(batch(stream, 1, entries, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().stream_destroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_destroy(other), CUDA_SUCCESS);
}

TEST_F(Settings, StreamsWaitForAndWriteValues) {
  using Value = CUresult(CUstream, CUdeviceptr, uint32_t, unsigned int);
  auto* wait = cu().find<Value>("cuStreamWaitValue32_v2");
  auto* write = cu().find<Value>("cuStreamWriteValue32_v2");
  CUstream one = nullptr, two = nullptr;
  ASSERT_EQ(cu().stream_create(&one, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu().stream_create(&two, 1), CUDA_SUCCESS);
  const CUdeviceptr flag = upload(std::vector<uint32_t>{0, 0});
  EXPECT_EQ(wait(one, flag, 5, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu().memset_d32_async(flag + 4, 9, 1, one), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_query(one), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(write(two, flag, 7, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(one), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(flag, 2), (std::vector<uint32_t>{7, 9}));
  for (unsigned int condition : {0u, 1u, 2u, 3u}) {  // >= 7, == 7, & 7, not all of | 7
    EXPECT_EQ(wait(one, flag, 7, condition), CUDA_SUCCESS);
  }
  EXPECT_EQ(cu().stream_synchronize(one), CUDA_SUCCESS);
  EXPECT_EQ(wait(one, flag, 8, 1), CUDA_SUCCESS);  // never: a cancel ends it
  EXPECT_EQ(cu().inspect_cancel(), CUDA_SUCCESS);
  EXPECT_EQ(cu().stream_synchronize(one), CUDA_SUCCESS);
  EXPECT_EQ(wait(one, flag + 2, 8, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(wait(one, 0, 8, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(wait(one, flag, 8, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(write(one, flag, 8, 2), CUDA_ERROR_INVALID_VALUE);
  cu().stream_destroy(one);
  cu().stream_destroy(two);
}

}  // namespace
}  // namespace libcuda
