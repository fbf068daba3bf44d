// The arguments of driver calls made by chance, by the types in the driver's own table:
// live, stale, null and wrong handles; pointers into memory, past it and freed; sizes
// from 0 to the greatest. What a driver must follow (host pointers, arrays with a
// count) is null or valid.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <typeindex>

#include "driver_table.h"
#include "fuzz.h"
#include "libcuda/exports/exports.h"

namespace fuzz {

inline constexpr const char* kText =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 8 .b8 values[64];\n.const .align 4 .b8 table[16];\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n  .reg .pred %p<2>;\n"
    "  .reg .b32 %r<4>;\n  .reg .b64 %d<4>;\n  ld.param.u64 %d0, [p];\n"
    "  ld.param.u32 %r0, [n];\n  mov.u32 %r1, %tid.x;\n  setp.ge.u32 %p0, %r1, 64;\n"
    "  @%p0 bra $end;\n  mad.wide.u32 %d1, %r1, 4, %d0;\n"
    "  st.global.u32 [%d1], %r0;\n$end:\n  ret;\n}\n"
    ".visible .entry spin(.param .u64 p)\n{\n  .reg .pred %p<2>;\n  .reg .b32 %r<4>;\n"
    "  mov.u32 %r0, 0;\n$L:\n  add.u32 %r0, %r0, 1;\n  setp.lt.u32 %p0, %r0, 200;\n"
    "  @%p0 bra $L;\n  ret;\n}\n"
    ".visible .entry none()\n{\n  ret;\n}\n";

template <class T, class = void>
struct IsComplete : std::false_type {};
template <class T>
struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

/// A pointer to what only the driver knows.
template <class T>
constexpr bool is_handle() {
  using Object = std::remove_pointer_t<T>;
  return std::is_pointer_v<T> && std::is_class_v<Object> &&
         !IsComplete<std::remove_const_t<Object>>::value;
}

/// What calls have given so far, shared by the threads of one input.
class Known {
 public:
  static constexpr size_t kBytes = size_t{8} << 20;

  Known() : from_(kBytes), to_(kBytes) { std::strcpy(from_.data(), kText); }
  void forget() { values_.clear(); }

  void add(std::type_index type, uint64_t value) {
    const std::lock_guard lock(mutex_);
    auto& values = values_[type];
    if (values.size() < 64) values.push_back(value);
  }
  uint64_t any(std::type_index type, Random& random) {
    const std::lock_guard lock(mutex_);
    auto& values = values_[type];
    return values.empty() ? 0 : random.of(values);
  }
  uint64_t any_at_all(Random& random) {
    const std::lock_guard lock(mutex_);
    if (values_.empty()) return 0;
    auto at = values_.begin();
    std::advance(at, static_cast<long>(random.below(values_.size())));
    return at->second.empty() ? 0 : random.of(at->second);
  }
  std::vector<uint64_t> all(std::type_index type) {
    const std::lock_guard lock(mutex_);
    return values_[type];
  }
  const void* from() const { return from_.data(); }
  void* to() { return to_.data(); }

 private:
  std::mutex mutex_;
  std::map<std::type_index, std::vector<uint64_t>> values_;
  std::vector<char> from_, to_;  // host memory that copies read and write
};

struct HostMemory {};  // a type for pointers of cuMemHostAlloc

/// Makes the arguments of one call.
class Arguments {
 public:
  Arguments(Random& random, Known& known, const char* name)
      : random_(random), known_(known), name_(name) {}

  template <class T>
  T make() {
    if constexpr (is_handle<T>()) {
      return handle<T>();
    } else if constexpr (std::is_pointer_v<T>) {
      return pointer<T>();
    } else if constexpr (std::is_same_v<T, CUdeviceptr>) {
      return address();
    } else if constexpr (std::is_same_v<T, size_t>) {
      return size();
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(small_integer());
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(integer(sizeof(T)));
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(random_.below(3));
    } else {
      T value{};
      fill(value);
      return value;
    }
  }

  /// Keeps what a successful call has given.
  template <class T>
  void keep(T argument) {
    if constexpr (std::is_pointer_v<T>) {
      using Object = std::remove_pointer_t<T>;
      if (argument == nullptr) return;
      if constexpr (is_handle<Object>() && !std::is_const_v<Object>) {
        if (*argument != nullptr) {
          known_.add(typeid(Object), reinterpret_cast<uint64_t>(*argument));
        }
      } else if constexpr (std::is_same_v<Object, CUdeviceptr>) {
        const bool number = is("Id") || is("Flags") || is("Capture");
        if (*argument != 0 && !number) known_.add(typeid(CUdeviceptr), *argument);
      } else if constexpr (std::is_same_v<T, void**>) {
        if (is("cuMemHostAlloc") || is("cuMemAllocHost")) {
          known_.add(typeid(HostMemory), reinterpret_cast<uint64_t>(*argument));
        }
      }
    }
  }

 private:
  bool is(const char* part) const { return std::strstr(name_, part) != nullptr; }
  /// Numbers that count what an array in host memory holds.
  bool counts_host_memory() const {
    return is("Graph") || is("Capture") || is("PoolSetAccess") || is("Link") ||
           is("Library") || is("Module") || is("Attributes") || is("CtxCreate") ||
           is("Batch") || is("RangeGet");
  }

  template <class T>
  T handle() {
    switch (random_.below(16)) {
      case 0:
      case 1:
        return nullptr;
      case 2:
        return reinterpret_cast<T>(uintptr_t{1 + random_.below(3)});
      case 3:
        return reinterpret_cast<T>(known_.any_at_all(random_));
      case 4:
        return reinterpret_cast<T>(known_.any(typeid(T), random_) + 1);
      case 5:
        return reinterpret_cast<T>(random_.bits() >> random_.below(64));
      default:
        return reinterpret_cast<T>(known_.any(typeid(T), random_));
    }
  }

  uint64_t address() {
    const uint64_t known = known_.any(typeid(CUdeviceptr), random_);
    // Unified copies take what is no device memory for the host's.
    const bool follows = is("cuMemcpy") || is("Params") || is("Graph");
    switch (random_.below(follows ? 10 : 14)) {
      case 0:
        return known == 0 ? 0 : known + random_.of({1, 2, 3, 4, 8, 512});
      case 1:
        return known == 0 ? 0 : known + random_.below(1 << 20);
      case 10:
        return random_.below(2);
      case 11:
        return known - 1 - random_.below(4096);
      case 12:
        return ~random_.below(4096);
      case 13:
        return random_.bits() >> random_.below(64);
      default:
        return known;
    }
  }

  size_t size() {
    if (counts_host_memory()) return random_.of({0, 0, 1, 1, 2, 3, 8});
    return random_.of({size_t{0}, size_t{1}, size_t{3}, size_t{4}, size_t{8},
                       size_t{64}, size_t{256}, size_t{511}, size_t{512}, size_t{513},
                       size_t{4096}, size_t{65536}, size_t{1} << 20, size_t{1} << 46,
                       size_t{1} << 62, (size_t{1} << 63) - 1, size_t{1} << 63,
                       ~size_t{0} - 511, ~size_t{0}});
  }

  uint64_t small_integer() {
    return random_.of({0, 0, 1, 1, 2, 3, 4, 5, 7, 8, 16, 75});
  }
  uint64_t integer(size_t bytes) {
    if (bytes < 4 || counts_host_memory() || random_.below(4) != 0) {
      return random_.of({0, 0, 0, 1, 1, 2, 3, 4, 8});
    }
    return random_.of({uint64_t{31}, uint64_t{1024}, uint64_t{12000}, uint64_t{13000},
                       uint64_t{0x7fffffff}, uint64_t{0x80000000}, ~uint64_t{0}});
  }

  template <class T>
  T pointer() {
    using Object = std::remove_cv_t<std::remove_pointer_t<T>>;
    if (random_.one_in(16)) return nullptr;
    if constexpr (std::is_function_v<Object>) {
      return callback(static_cast<T>(nullptr));
    } else if constexpr (std::is_void_v<Object>) {
      const bool host = is("Host") && random_.below(3) != 0;
      if (host) {
        return reinterpret_cast<T>(known_.any(typeid(HostMemory), random_));
      }
      if constexpr (std::is_const_v<std::remove_pointer_t<T>>) return known_.from();
      return known_.to();
    } else if constexpr (std::is_same_v<Object, char>) {
      if constexpr (std::is_const_v<std::remove_pointer_t<T>>) {
        static constexpr const char* kNames[] = {"k",       "spin",   "none",
                                                 "values",  "table",  "",
                                                 "nothing", "cuInit", "cuMemAlloc"};
        return kNames[random_.below(std::size(kNames))];
      } else {
        return static_cast<char*>(known_.to());
      }
    } else {
      // Arrays have room for more than any count that is given.
      std::vector<uint64_t>& words = blocks_.emplace_back(1024);
      auto* const first = reinterpret_cast<Object*>(words.data());
      const size_t count = std::min<size_t>(16, 8192 / sizeof(Object));
      for (size_t i = 0; i < count; ++i) fill(first[i]);
      return first;
    }
  }

  template <class R, class... P>
  auto callback(R (*)(P...)) -> R (*)(P...) {
    return [](P...) -> R {
      if constexpr (!std::is_void_v<R>) return R{};
    };
  }

  template <class T>
  void fill(T& value) {
    if constexpr (is_handle<T>()) {
      value = handle<T>();
    } else if constexpr (std::is_same_v<T, void*>) {
      value = known_.to();
    } else if constexpr (std::is_same_v<T, const void*>) {
      value = known_.from();
    } else if constexpr (std::is_same_v<T, CUdeviceptr>) {
      value = 0;  // mostly where one is to be written
    } else if constexpr (std::is_same_v<T, size_t>) {
      value = random_.below(4);
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      value = static_cast<T>(small_integer());
    }  // other structures and pointers: zeros
  }
  void fill(CUmemLocation& value) {
    fill(value.type);
    value.id = static_cast<int>(random_.below(2));
  }
  void fill(CUmemAccessDesc& value) {
    fill(value.location);
    value.flags = static_cast<int>(random_.of({0, 1, 3, 3}));
  }
  void fill(CUmemPoolProps& value) {
    value = {};
    value.allocType = static_cast<CUmemAllocationType>(random_.of({0, 1, 1, 1}));
    fill(value.location);
    value.maxSize = random_.of({0, 0, 1 << 20});
  }
  void fill(CUDA_MEMSET_NODE_PARAMS_v1& value) {
    value = {address(),
             random_.below(2048),
             7,
             static_cast<unsigned>(random_.below(6)),
             random_.below(600),
             random_.below(4)};
  }
  void fill(CUDA_HOST_NODE_PARAMS_v1& value) {
    value = {make<CUhostFn>(), known_.to()};
  }
  void fill(CUDA_MEM_ALLOC_NODE_PARAMS_v1& value) {
    value = {};
    fill(value.poolProps);
    value.bytesize = random_.of({0, 1, 4096, 1 << 20});
  }
  template <class T>
  void fill_kernel(T& value) {
    value = {};
    value.func = handle<CUfunction>();
    value.gridDimX = static_cast<unsigned>(random_.below(3));
    value.gridDimY = value.gridDimZ = value.blockDimY = value.blockDimZ = 1;
    value.blockDimX = random_.of({0u, 1u, 32u, 64u, 2000u});
    value.kernelParams = parameters();
  }
  void fill(CUDA_KERNEL_NODE_PARAMS_v1& value) { fill_kernel(value); }
  void fill(CUDA_KERNEL_NODE_PARAMS_v2& value) { fill_kernel(value); }
  void fill(CUDA_MEMCPY3D& value) { fill_copy(value); }
  void fill(CUDA_MEMCPY3D_PEER& value) {
    fill_copy(value);
    value.srcContext = handle<CUcontext>();
    value.dstContext = handle<CUcontext>();
  }
  void fill(CUDA_MEMCPY2D& value) { fill_ends(value); }
  void fill(CUlaunchConfig& value) {
    value = {};
    value.gridDimX = static_cast<unsigned>(random_.below(3));
    value.gridDimY = value.gridDimZ = value.blockDimY = value.blockDimZ = 1;
    value.blockDimX = random_.of({0u, 1u, 32u, 64u, 2000u});
    value.hStream = handle<CUstream>();
  }
  void fill(CUgraphNodeParams& value) {
    value = {};
    value.type = static_cast<CUgraphNodeType>(random_.below(15));
    switch (static_cast<int>(value.type)) {
      case 0:
        fill(value.kernel);
        break;
      case 1:
        fill(value.memcpy.copyParams);
        break;
      case 2:
        fill(value.memset);
        break;
      case 3:
        fill(value.host);
        break;
      case 4:
        value.graph.graph = handle<CUgraph>();
        break;
      case 10:
        fill(value.alloc);
        break;
      case 11:
        value.free.dptr = address();
        break;
      default:
        value.eventWait.event = handle<CUevent>();
    }
  }
  /// Sizes for which the host's 8 MiB are enough.
  template <class T>
  void fill_ends(T& value) {
    value = {};
    value.srcXInBytes = random_.below(16);
    value.dstXInBytes = random_.below(16);
    value.srcY = random_.below(3);
    value.dstY = random_.below(3);
    value.srcMemoryType =
        static_cast<CUmemorytype>(random_.of({0, 1, 1, 2, 2, 2, 3, 4}));
    value.dstMemoryType =
        static_cast<CUmemorytype>(random_.of({0, 1, 1, 2, 2, 2, 3, 4}));
    value.srcHost = known_.from();
    value.dstHost = known_.to();
    value.srcDevice = unified();
    value.dstDevice = unified();
    value.srcPitch = random_.of({0, 8, 512, 2048});
    value.dstPitch = random_.of({0, 8, 512, 2048});
    value.WidthInBytes = random_.of({0, 1, 8, 500, 512});
    value.Height = random_.below(5);
  }
  template <class T>
  void fill_copy(T& value) {
    fill_ends(value);
    value.srcZ = random_.below(3);
    value.dstZ = random_.below(3);
    value.srcHeight = random_.of({0, 2, 8, 16});
    value.dstHeight = random_.of({0, 2, 8, 16});
    value.Depth = random_.below(4);
  }
  /// Unified memory is the host's where it is no device's: valid in both cases.
  uint64_t unified() {
    const uint64_t known = known_.any(typeid(CUdeviceptr), random_);
    return known == 0 || random_.one_in(8) ? reinterpret_cast<uint64_t>(known_.to())
                                           : known;
  }
  /// As many values as any of the kernels takes.
  void** parameters() {
    std::vector<uint64_t>& words = blocks_.emplace_back(16);
    for (size_t i = 0; i < 8; ++i) {
      words[8 + i] = i == 0 ? address() : random_.below(9);
      words[i] = random_.one_in(12) ? 0 : reinterpret_cast<uint64_t>(&words[8 + i]);
    }
    return reinterpret_cast<void**>(words.data());
  }

 public:
  /// Grids and blocks that do not take long, and some that are refused.
  struct Shape {
    unsigned grid[3], block[3], shared;
    void** parameters;
  };
  Shape shape() {
    const unsigned x = random_.of({0u, 1u, 1u, 1u, 2u, 3u});
    return {{x, random_.of({1u, 1u, 1u, 70000u}), 1},
            {random_.of({0u, 1u, 32u, 32u, 64u, 100u, 2000u}),
             random_.of({1u, 1u, 1u, 100u}), 1},
            random_.of({0u, 0u, 64u, 50000u, ~0u}),
            random_.one_in(8) ? nullptr : parameters()};
  }

 private:
  Random& random_;
  Known& known_;
  const char* name_;
  std::deque<std::vector<uint64_t>> blocks_;
};

}  // namespace fuzz
