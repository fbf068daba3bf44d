// Which texts stand in place of the library's kernels on a thread, and the values of
// the parameters that they have beyond the library's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "array/array.h"
#include "runtime/signature.h"

namespace minitorch::runtime {

/// CUDA C++ in place of one file of cpp/kernels; `extra` are its last parameters.
struct KernelText {
  std::string file, source;
  std::vector<ParameterInfo> extra;
};

/// What a parameter beyond the library's is given.
using ExtraValue = std::variant<int64_t, double, array::Array>;

/// Texts with the values of their extra parameters, before those that were there
/// already. Never changed once threads and steps of graphs share it.
struct KernelTexts {
  std::vector<KernelText> texts;
  std::map<std::string, ExtraValue> values;
  std::shared_ptr<const KernelTexts> around;
};

/// A text for `file`, checked: it has the library's kernel with the library's
/// parameters, and then none, some or all of those in `extra`. Raises ValueError.
KernelText checked_text(const std::string& file, std::string source,
                        const std::vector<std::string>& extra);

/// What this thread launches with; null: the library's kernels alone.
std::shared_ptr<const KernelTexts> kernel_texts();
bool has_kernel_texts();
std::shared_ptr<const KernelTexts> use_kernel_texts(
    std::shared_ptr<const KernelTexts> texts);

/// A text that stands for `file` on this thread, with the set that it is of; or null.
struct Replacement {
  const KernelText* text = nullptr;
  const KernelTexts* set = nullptr;
};
Replacement replacement_of(const std::string& file);

/// This thread launches with `texts` for the guard's lifetime.
class WithKernelTexts {
 public:
  explicit WithKernelTexts(std::shared_ptr<const KernelTexts> texts)
      : previous_(use_kernel_texts(std::move(texts))) {}
  ~WithKernelTexts() { use_kernel_texts(std::move(previous_)); }
  WithKernelTexts(const WithKernelTexts&) = delete;
  WithKernelTexts& operator=(const WithKernelTexts&) = delete;

 private:
  std::shared_ptr<const KernelTexts> previous_;
};

}  // namespace minitorch::runtime
