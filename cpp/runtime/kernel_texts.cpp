#include "runtime/kernel_texts.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "kernels/kernels.h"

namespace minitorch::runtime {
namespace {

using base::text;

thread_local std::shared_ptr<const KernelTexts> used;

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += text(all.empty() ? "" : ", ", name);
  return all.empty() ? "none" : all;
}

std::vector<std::string> names_of(const std::vector<ParameterInfo>& parameters) {
  std::vector<std::string> names;
  for (const ParameterInfo& each : parameters) names.push_back(each.name);
  return names;
}

[[noreturn]] void refuse(const std::string& what) {
  throw base::ValueError("override", what);
}

/// A type without what changes no bytes of it: "Scalar*" of "const Scalar*
/// __restrict__".
std::string bare(std::string type) {
  for (const std::string_view word : {"const", "__restrict__", " "}) {
    for (size_t at = 0; (at = type.find(word)) != std::string::npos;)
      type.erase(at, word.size());
  }
  return type;
}

/// The name of the kernel of a file: "conv2d" of "conv2d.cu".
std::string entry_of(const std::string& file) {
  std::vector<std::string> kernels;
  for (const std::string_view name : kernels::names()) {
    if (name.ends_with(".cu")) kernels.emplace_back(name);
  }
  if (std::ranges::find(kernels, file) == kernels.end()) {
    refuse(text("got a text for '", file, "'; need one of ", listed(kernels), "."));
  }
  return file.substr(0, file.size() - 3);
}

Signature signature_of(const std::string& file, const std::string& source,
                       const std::string& entry) {
  const std::vector<std::string> there = kernel_names(source);
  if (std::ranges::find(there, entry) == there.end()) {
    refuse(text("got a text for ", file, " with the kernels ", listed(there),
                "; need extern \"C\" __global__ void ", entry, "(…)."));
  }
  return parse_signature(source, entry);
}

}  // namespace

KernelText checked_text(const std::string& file, std::string source,
                        const std::vector<std::string>& extra) {
  const std::string entry = entry_of(file);
  const Signature own = signature_of(file, std::string(kernels::source(file)), entry);
  Signature given = signature_of(file, source, entry);
  const std::vector<std::string> names = names_of(given.parameters);
  const size_t shared = own.parameters.size();
  if (!given.known || names.size() < shared) {
    refuse(text("got a text for ", file, " with the parameters ", listed(names),
                "; need those of the library, ", listed(names_of(own.parameters)),
                ", and the extra ones after them."));
  }
  for (size_t i = 0; i < shared; ++i) {
    const ParameterInfo &is = given.parameters[i], &was = own.parameters[i];
    if (bare(is.type) == bare(was.type)) continue;
    refuse(text("got a text for ", file, " with the parameter ", i + 1, " '", is.type,
                " ", is.name, "'; need '", was.type, " ", was.name,
                "', as the library's. Extra ones come last."));
  }
  KernelText made{file, std::move(source), {}};
  for (size_t i = shared; i < names.size(); ++i) {
    if (std::ranges::find(extra, names[i]) == extra.end()) {
      refuse(text("got a text for ", file, " with the parameter '", names[i],
                  "' after those of the library; extra_parameters has ", listed(extra),
                  ". Add it there."));
    }
    made.extra.push_back(given.parameters[i]);
  }
  return made;
}

std::shared_ptr<const KernelTexts> kernel_texts() { return used; }

bool has_kernel_texts() { return used != nullptr; }

std::shared_ptr<const KernelTexts> use_kernel_texts(
    std::shared_ptr<const KernelTexts> texts) {
  return std::exchange(used, std::move(texts));
}

Replacement replacement_of(const std::string& file) {
  for (const KernelTexts* set = used.get(); set; set = set->around.get()) {
    for (const KernelText& each : set->texts) {
      if (each.file == file) return {&each, set};
    }
  }
  return {};
}

}  // namespace minitorch::runtime
