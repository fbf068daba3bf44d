// Tests contexts: the stack of each thread, the primary context, ends of contexts.
#include <thread>

#include "fixture.h"

namespace libcuda {
namespace {

using Contexts = DriverTest;
using Create = CUresult(CUcontext*, unsigned int, CUdevice);
using Destroy = CUresult(CUcontext);

CUcontext current() {
  CUcontext context = nullptr;
  EXPECT_EQ(cu().ctx_get_current(&context), CUDA_SUCCESS);
  return context;
}

TEST_F(Contexts, StackIsLastInFirstOutAndPerThread) {
  CUcontext made = nullptr, popped = nullptr;
  ASSERT_EQ(cu().find<Create>("cuCtxCreate_v2")(&made, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(current(), made);
  EXPECT_EQ(cu().ctx_push_current(context_), CUDA_SUCCESS);
  EXPECT_EQ(current(), context_);
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);
    EXPECT_EQ(cu().ctx_pop_current(&popped), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cu().ctx_set_current(made), CUDA_SUCCESS);
    EXPECT_EQ(current(), made);
  }).join();
  EXPECT_EQ(cu().ctx_pop_current(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, context_);
  EXPECT_EQ(current(), made);
  EXPECT_EQ(cu().find<Destroy>("cuCtxDestroy_v2")(made), CUDA_SUCCESS);
  EXPECT_EQ(current(), context_);
}

TEST_F(Contexts, WithoutOneCallsSaySo) {
  std::thread([&] {
    CUdeviceptr pointer = 0;
    CUdevice device = 0;
    EXPECT_EQ(cu().mem_alloc(&pointer, 16), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cu().find<CUresult(CUdevice*)>("cuCtxGetDevice")(&device),
              CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cu().stream_synchronize(nullptr), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cu().ctx_set_current(nullptr), CUDA_SUCCESS);
  }).join();
}

TEST_F(Contexts, DestroyedContextTakesEverythingWithIt) {
  CUcontext made = nullptr;
  ASSERT_EQ(cu().find<Create>("cuCtxCreate_v2")(&made, 0, 0), CUDA_SUCCESS);
  size_t free_before = 0, free_after = 0, total = 0;
  cu().mem_get_info(&free_before, &total);
  alloc(1 << 20);
  CUstream stream = nullptr;
  CUevent event = nullptr;
  ASSERT_EQ(cu().stream_create(&stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu().event_create(&event, 0), CUDA_SUCCESS);
  const CUfunction function = kernel("add_one");
  ASSERT_EQ(cu().ctx_push_current(made), CUDA_SUCCESS);
  EXPECT_EQ(cu().find<Destroy>("cuCtxDestroy_v2")(made), CUDA_SUCCESS);
  EXPECT_EQ(current(), made);  // still on the stack below, but gone
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cu().stream_synchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu().event_query(event), CUDA_ERROR_INVALID_HANDLE);
  int value = 0;
  EXPECT_EQ(cu().func_get_attribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu().module_unload(module_), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu().find<Destroy>("cuCtxDestroy_v2")(made), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cu().ctx_push_current(made), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
  cu().mem_get_info(&free_after, &total);
  EXPECT_EQ(free_after, free_before);
}

TEST_F(Contexts, PrimaryContextIsCounted) {
  using GetState = CUresult(CUdevice, unsigned int*, int*);
  auto* state = cu().find<GetState>("cuDevicePrimaryCtxGetState");
  unsigned int flags = 0;
  int active = 0;
  CUcontext again = nullptr;
  EXPECT_EQ(cu().primary_ctx_retain(&again, 0), CUDA_SUCCESS);
  EXPECT_EQ(again, context_);
  EXPECT_EQ(cu().primary_ctx_release(0), CUDA_SUCCESS);
  EXPECT_EQ(state(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(cu().primary_ctx_release(0), CUDA_SUCCESS);
  EXPECT_EQ(state(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
  EXPECT_EQ(cu().primary_ctx_release(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cu().primary_ctx_retain(&again, 0), CUDA_SUCCESS);
  EXPECT_EQ(again, context_);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
}

TEST_F(Contexts, ResetEmptiesTheContextAndKeepsItUsable) {
  const CUdeviceptr pointer = alloc(64);
  EXPECT_EQ(cu().primary_ctx_reset(0), CUDA_SUCCESS);
  EXPECT_EQ(cu().memset_d8_async(pointer, 0, 64, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().mem_free(pointer), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(alloc(64), 0u);
}

// A fault sticks to its own context; the others, older and newer ones, go on.
TEST_F(Contexts, OthersStayUsableAfterAFault) {
  auto* create = cu().find<Create>("cuCtxCreate_v2");
  auto* destroy = cu().find<Destroy>("cuCtxDestroy_v2");
  const auto expect_usable = [&](const char* who) {
    SCOPED_TRACE(who);
    CUmodule fresh = nullptr;
    CUfunction function = nullptr;
    CUstream stream = nullptr;
    ASSERT_EQ(cu().module_load_data_ex(&fresh, kKernels, 0, nullptr, nullptr),
              CUDA_SUCCESS);
    ASSERT_EQ(cu().module_get_function(&function, fresh, "add_one"), CUDA_SUCCESS);
    ASSERT_EQ(cu().stream_create(&stream, 0), CUDA_SUCCESS);
    CUdeviceptr data = upload(std::vector<uint32_t>(64, 1));
    uint32_t n = 64;
    void* parameters[] = {&data, &n};
    for (const CUstream where : {CUstream{nullptr}, stream}) {
      EXPECT_EQ(cu().launch_kernel(function, 1, 1, 1, 64, 1, 1, 0, where, parameters,
                                   nullptr),
                CUDA_SUCCESS);
    }
    EXPECT_EQ(cu().stream_synchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
    EXPECT_EQ(download<uint32_t>(data, 64), std::vector<uint32_t>(64, 3));
    EXPECT_EQ(cu().mem_free(data), CUDA_SUCCESS);
    EXPECT_EQ(cu().stream_destroy(stream), CUDA_SUCCESS);
    EXPECT_EQ(cu().module_unload(fresh), CUDA_SUCCESS);
  };
  CUcontext older = nullptr, faulty = nullptr, newer = nullptr;
  ASSERT_EQ(create(&older, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(create(&faulty, 0, 0), CUDA_SUCCESS);
  const CUdeviceptr data = alloc(64);
  ASSERT_EQ(launch("unguarded", 1, 32, nullptr, data), CUDA_SUCCESS);
  // Before any call has told the fault, and after.
  ASSERT_EQ(cu().ctx_set_current(older), CUDA_SUCCESS);
  expect_usable("older, fault not told");
  ASSERT_EQ(cu().ctx_set_current(faulty), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(create(&newer, 0, 0), CUDA_SUCCESS);
  expect_usable("newer");
  ASSERT_EQ(cu().ctx_set_current(older), CUDA_SUCCESS);
  expect_usable("older");
  ASSERT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
  expect_usable("primary");
  ASSERT_EQ(cu().ctx_set_current(faulty), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);  // for ever
  CUdeviceptr refused = 0;
  EXPECT_EQ(cu().mem_alloc(&refused, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(destroy(faulty), CUDA_SUCCESS);
  ASSERT_EQ(cu().ctx_set_current(newer), CUDA_SUCCESS);
  expect_usable("newer, the faulty one gone");
  EXPECT_EQ(destroy(newer), CUDA_SUCCESS);
  EXPECT_EQ(destroy(older), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
}

TEST_F(Contexts, ResetEndsTheFaultOfThePrimaryContext) {
  CUcontext other = nullptr;
  ASSERT_EQ(cu().find<Create>("cuCtxCreate_v2")(&other, 0, 0), CUDA_SUCCESS);
  const CUdeviceptr kept = upload(std::vector<uint32_t>(64, 9));
  ASSERT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
  const CUdeviceptr data = alloc(64);
  ASSERT_EQ(launch("unguarded", 1, 32, nullptr, data), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu().primary_ctx_reset(0), CUDA_SUCCESS);
  module_ = nullptr;
  ASSERT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_synchronize(), CUDA_SUCCESS);
  const CUdeviceptr fresh = upload(std::vector<uint32_t>(64, 1));
  EXPECT_EQ(launch("add_one", 1, 64, nullptr, fresh, 64u), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(fresh, 64), std::vector<uint32_t>(64, 2));
  ASSERT_EQ(cu().ctx_set_current(other), CUDA_SUCCESS);
  EXPECT_EQ(download<uint32_t>(kept, 64), std::vector<uint32_t>(64, 9));
  EXPECT_EQ(cu().find<Destroy>("cuCtxDestroy_v2")(other), CUDA_SUCCESS);
  EXPECT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
}

TEST_F(Contexts, NewerFormsOfCreateWork) {
  using CreateV3 = CUresult(CUcontext*, void*, int, unsigned int, CUdevice);
  using CreateV4 = CUresult(CUcontext*, void*, unsigned int, CUdevice);
  CUcontext third = nullptr, fourth = nullptr;
  EXPECT_EQ(cu().find<CreateV3>("cuCtxCreate_v3")(&third, nullptr, 0, 0, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cu().find<CreateV4>("cuCtxCreate_v4")(&fourth, nullptr, 0, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cu().find<Destroy>("cuCtxDestroy_v2")(fourth), CUDA_SUCCESS);
  EXPECT_EQ(cu().find<Destroy>("cuCtxDestroy_v2")(third), CUDA_SUCCESS);
  EXPECT_EQ(cu().find<Create>("cuCtxCreate_v2")(&third, 0, 3),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cu().find<Destroy>("cuCtxDestroy_v2")(context_),
            CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Contexts, MemoryIsFreedWithAnyContextCurrentOrNone) {
  const CUdeviceptr pointer = alloc(16);
  EXPECT_EQ(cu().ctx_set_current(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu().mem_free(pointer), CUDA_SUCCESS);
  EXPECT_EQ(cu().mem_free(pointer), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Contexts, FunctionsOfCuda13AreCalledWithOlderParameters) {
  // A client of CUDA 12 finds the name with _v2 and gives no context: any value comes.
  auto* device_of = cu().find<CUresult(CUdevice*, CUcontext)>("cuCtxGetDevice_v2");
  auto* synchronise = cu().find<CUresult(CUcontext)>("cuCtxSynchronize_v2");
  for (const CUcontext given :
       {context_, CUcontext{nullptr}, reinterpret_cast<CUcontext>(&context_)}) {
    CUdevice device = -1;
    EXPECT_EQ(device_of(&device, given), CUDA_SUCCESS);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(synchronise(given), CUDA_SUCCESS);
  }
  EXPECT_EQ(cu().ctx_set_current(nullptr), CUDA_SUCCESS);
  CUdevice device = -1;
  EXPECT_EQ(device_of(&device, nullptr), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(device_of(&device, context_), CUDA_SUCCESS);
}

}  // namespace
}  // namespace libcuda
