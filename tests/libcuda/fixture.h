// The fixture of the driver tests: the library, a context, small conveniences.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver_table.h"
#include "kernels.h"

namespace libcuda {

inline const DriverTable& cu() {
  static const DriverTable table(MINITORCH_EMULATOR_LIBRARY);
  return table;
}

/// Holds a stream: work queued behind `hold` waits until `open`.
class Gate {
 public:
  ~Gate() { open(); }
  CUresult hold(CUstream stream) {
    using Launch = CUresult(CUstream, CUhostFn, void*);
    return cu().find<Launch>("cuLaunchHostFunc")(stream, &Gate::wait,
                                                 new std::shared_ptr<State>(state_));
  }
  void open() {
    std::lock_guard lock(state_->mutex);
    state_->open = true;
    state_->changed.notify_all();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
  };
  /// Owns a share of the state: the gate may be gone while the stream's thread leaves.
  static void wait(void* user) {
    const std::unique_ptr<std::shared_ptr<State>> share(
        static_cast<std::shared_ptr<State>*>(user));
    const std::shared_ptr<State> state = *share;
    std::unique_lock lock(state->mutex);
    state->changed.wait(lock, [&] { return state->open; });
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

class DriverTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cu().init(0), CUDA_SUCCESS);
    ASSERT_EQ(cu().primary_ctx_retain(&context_, 0), CUDA_SUCCESS);
    ASSERT_EQ(cu().ctx_set_current(context_), CUDA_SUCCESS);
  }
  void TearDown() override {
    cu().ctx_set_current(context_);
    cu().ctx_synchronize();
    take_findings();
    cu().ctx_set_current(nullptr);
    EXPECT_EQ(cu().primary_ctx_release(0), CUDA_SUCCESS);
  }

  CUdeviceptr alloc(size_t bytes) {
    CUdeviceptr pointer = 0;
    EXPECT_EQ(cu().mem_alloc(&pointer, bytes), CUDA_SUCCESS);
    return pointer;
  }
  template <class T>
  CUdeviceptr upload(const std::vector<T>& values) {
    const CUdeviceptr pointer = alloc(values.size() * sizeof(T));
    EXPECT_EQ(cu().memcpy_htod(pointer, values.data(), values.size() * sizeof(T)),
              CUDA_SUCCESS);
    return pointer;
  }
  template <class T>
  std::vector<T> download(CUdeviceptr pointer, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(cu().memcpy_dtoh(values.data(), pointer, count * sizeof(T)),
              CUDA_SUCCESS);
    return values;
  }
  CUmodule module() {
    if (module_ == nullptr) {
      EXPECT_EQ(cu().module_load_data_ex(&module_, kKernels, 0, nullptr, nullptr),
                CUDA_SUCCESS)
          << last_message();
    }
    return module_;
  }
  CUfunction kernel(const char* name) {
    CUfunction function = nullptr;
    EXPECT_EQ(cu().module_get_function(&function, module(), name), CUDA_SUCCESS);
    return function;
  }
  template <class... Arguments>
  CUresult launch(const char* name, unsigned int grid, unsigned int block,
                  CUstream stream, Arguments... arguments) {
    void* parameters[] = {&arguments...};
    return cu().launch_kernel(kernel(name), grid, 1, 1, block, 1, 1, 0, stream,
                              parameters, nullptr);
  }
  std::vector<MtFinding> take_findings() {
    std::vector<MtFinding> findings(64);
    uint32_t count = 0;
    EXPECT_EQ(cu().inspect_take_findings(findings.data(), 64, &count), CUDA_SUCCESS);
    findings.resize(std::min<uint32_t>(count, 64));
    return findings;
  }
  static std::string last_message() {
    const char* text = nullptr;
    EXPECT_EQ(cu().inspect_last_message(&text), CUDA_SUCCESS);
    return text;
  }

  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
};

}  // namespace libcuda
