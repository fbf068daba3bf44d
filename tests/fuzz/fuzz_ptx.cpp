// Mutated PTX texts through the driver: load, link, and launch what could be loaded on
// small grids with a low budget. Each ends with a result code or a finding.
//
// --run FILE loads and launches a text as it is.
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "driver_table.h"
#include "mutations.h"

namespace {

using libcuda::DriverTable;

constexpr size_t kBuffer = 65536, kRoom = size_t{64} << 20;
constexpr uint64_t kBudget = 4000;
constexpr uint64_t kKeptContexts = 500;  // inputs until the context is made anew
constexpr long kMostGrowth = 1 << 20;    // KiB that one input may add to the process

const DriverTable& cu() {
  static const DriverTable table(MINITORCH_EMULATOR_LIBRARY);
  return table;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Texts of the corpora, the shorter the more often.
std::vector<std::string> read_corpus() {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {MINITORCH_TEST_PTX "/ptx", MINITORCH_FUZZ_FOUND}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> corpus;
  for (const auto& path : paths) {
    const std::string text = read(path);
    const bool whole = path.parent_path().filename() == "ptx";
    const size_t times = !whole                ? 1
                         : text.size() < 2500  ? 12
                         : text.size() < 10000 ? 4
                                               : 1;
    if (!text.empty() && text.size() < 45000) corpus.insert(corpus.end(), times, text);
  }
  return corpus;
}

class Session {
 public:
  Session() {
    cu().init(0);
    begin();
  }
  ~Session() { end(); }

  /// What became of it, in a word.
  std::string load_and_run(fuzz::Random& random, const std::string& text,
                           const std::string* linked) {
    if (++inputs_ % kKeptContexts == 0) {
      end();
      begin();
    }
    CUmodule module = nullptr;
    // Comments that are checks of indices are read as such, whatever became of them.
    CUjit_option options[] = {static_cast<CUjit_option>(kMtJitIndexChecks)};
    void* values[] = {reinterpret_cast<void*>(uintptr_t{1})};
    const CUresult loaded =
        linked ? link(text, *linked, module)
               : cu().module_load_data_ex(&module, text.c_str(), 1, options, values);
    if (loaded != CUDA_SUCCESS) return linked ? "refused by the linker" : "refused";
    const std::string outcome = launch_all(random, module);
    cu().module_unload(module);
    return outcome;
  }

  const std::string& last() const { return last_; }

 private:
  void begin() {
    CUcontext context = nullptr;
    cu().primary_ctx_retain(&context, 0);
    cu().ctx_set_current(context);
    cu().mem_alloc(&buffer_, kBuffer);
    // A small card: variables of 2 GiB would cost more time than all else.
    size_t free = 0, total = 0;
    cu().mem_get_info(&free, &total);
    if (free > kRoom) cu().mem_alloc(&rest_, free - kRoom);
    cu().inspect_set_print_callback([](const char*, size_t, void*) {}, nullptr);
  }
  void end() {
    cu().mem_free(buffer_);
    cu().mem_free(rest_);
    cu().ctx_set_current(nullptr);
    cu().primary_ctx_reset(0);
    cu().primary_ctx_release(0);
  }

  static CUresult link(const std::string& one, const std::string& two,
                       CUmodule& module) {
    using Create = CUresult(unsigned, CUjit_option*, void**, void**);
    using Add = CUresult(void*, int, void*, size_t, const char*, unsigned,
                         CUjit_option*, void**);
    using Complete = CUresult(void*, void**, size_t*);
    static const auto create = cu().find<Create>("cuLinkCreate_v2");
    static const auto add = cu().find<Add>("cuLinkAddData_v2");
    static const auto complete = cu().find<Complete>("cuLinkComplete");
    static const auto destroy = cu().find<CUresult(void*)>("cuLinkDestroy");
    constexpr int kPtx = 1;
    void *state = nullptr, *image = nullptr;
    size_t bytes = 0;
    if (const CUresult made = create(0, nullptr, nullptr, &state)) return made;
    CUresult result = CUDA_SUCCESS;
    for (const std::string* text : {&one, &two}) {
      void* const data = const_cast<char*>(text->c_str());
      if (result == CUDA_SUCCESS) {
        result = add(state, kPtx, data, text->size() + 1, "part", 0, nullptr, nullptr);
      }
    }
    if (result == CUDA_SUCCESS) result = complete(state, &image, &bytes);
    if (result == CUDA_SUCCESS) {
      result = cu().module_load_data_ex(&module, image, 0, nullptr, nullptr);
    }
    destroy(state);
    return result;
  }

  std::string launch_all(fuzz::Random& random, CUmodule module) {
    using Count = CUresult(unsigned*, CUmodule);
    using List = CUresult(CUfunction*, unsigned, CUmodule);
    static const auto count = cu().find<Count>("cuModuleGetFunctionCount");
    static const auto list = cu().find<List>("cuModuleEnumerateFunctions");
    unsigned kernels = 0;
    count(&kernels, module);
    std::vector<CUfunction> all(kernels);
    if (kernels != 0) list(all.data(), kernels, module);
    std::string outcome = "no kernel";
    for (unsigned i = 0; i < std::min(kernels, 3u); ++i) {
      outcome = launch(random, all[i]);
    }
    return outcome;
  }

  /// Pointers to a buffer, small numbers, and now and then anything.
  std::vector<uint8_t> arguments(fuzz::Random& random, CUfunction kernel) {
    std::vector<uint8_t> bytes;
    size_t offset = 0, size = 0;
    for (size_t i = 0; cu().func_get_param_info(kernel, i, &offset, &size) == 0; ++i) {
      bytes.resize(std::max(bytes.size(), offset + size));
      uint64_t value = size == 8 ? buffer_ + 4096 * i : random.below(64);
      if (random.one_in(16)) value = random.bits() >> random.below(64);
      for (size_t k = 0; k < size; ++k) {
        bytes[offset + k] = static_cast<uint8_t>(value >> (8 * (k % 8)));
      }
    }
    return bytes;
  }

  std::string launch(fuzz::Random& random, CUfunction kernel) {
    std::vector<uint8_t> bytes = arguments(random, kernel);
    size_t size = bytes.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, bytes.data(),
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    const uint32_t all = MtCheck_All, counted = MtCheck_All | MtCheck_Counters;
    cu().set_option(&MtLaunchOptions::checks,
                    random.of({all, all, 0u, counted, uint32_t{MtCheck_Race}}));
    cu().set_option(&MtLaunchOptions::budget, kBudget);
    const unsigned block = random.of({1u, 32u, 32u, 33u, 64u, 128u});
    const unsigned shared = random.of({0u, 0u, 64u, 4096u});
    const CUresult queued =
        cu().launch_kernel(kernel, random.of({1u, 1u, 2u, 5u}), 1, 1, block,
                           random.of({1u, 1u, 2u}), 1, shared, nullptr, nullptr, extra);
    if (queued != CUDA_SUCCESS) return "launch refused";
    const CUresult done = cu().ctx_synchronize();
    uint32_t count = 0;
    std::vector<MtFinding> findings(8);
    cu().inspect_take_findings(findings.data(), 8, &count);
    last_ = count != 0 ? findings[0].detail : "";
    if (count != 0) return findings[0].stopped ? "fault" : "finding";
    return done == CUDA_SUCCESS ? "ran" : "!an error without a finding";
  }

  CUdeviceptr buffer_ = 0, rest_ = 0;
  uint64_t inputs_ = 0;
  std::string last_;
};

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

int main(int argc, char** argv) {
  const fuzz::Options options(argc, argv);
  setenv("MINITORCH_EMULATED_GPU", "h100", 0);  // knows the most instructions
  Session session;
  if (!options.files.empty()) {
    fuzz::watch();
    for (const std::string& path : options.files) {
      fuzz::Random random(options.seed);
      const long before = peak_kib();
      const std::string outcome = session.load_and_run(random, read(path), nullptr);
      const char* message = nullptr;
      cu().inspect_last_message(&message);
      std::cout << path << ": " << outcome << ' ' << session.last() << ' ' << message
                << "; " << (peak_kib() - before) / 1024 << " MiB" << std::endl;
    }
    return 0;
  }
  const std::vector<std::string> corpus = read_corpus();
  return fuzz::run("ptx", options, [&](uint64_t seed) -> std::string {
    fuzz::Random random(seed);
    fuzz::Mutator mutator(random, corpus);
    const std::string text = mutator.mutated(random.of(corpus));
    const bool links = random.one_in(8);
    const std::string other = links ? mutator.mutated(random.of(corpus)) : "";
    if (options.show) std::cout << text << "\n// ---\n" << other << std::endl;
    const long before = peak_kib();
    const std::string outcome =
        session.load_and_run(random, text, links ? &other : nullptr);
    if (peak_kib() - before > kMostGrowth) return "!too much memory";
    return outcome;
  });
}
