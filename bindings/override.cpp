#include "bindings/override.h"

#include <set>
#include <string>

#include "base/error.h"
#include "bindings/tensor_argument.h"
#include "runtime/kernel_texts.h"

namespace minitorch::bindings {

using autograd::TensorPtr;
using runtime::KernelTexts;
using Texts = std::shared_ptr<const KernelTexts>;

namespace {

PyObject* asked = nullptr;  // a function of Python's, never freed

std::set<std::string>& overridable() {
  static auto& names = *new std::set<std::string>;
  return names;
}

Texts make_texts(const std::map<std::string, std::string>& texts,
                 const std::vector<std::string>& extra) {
  auto made = std::make_shared<KernelTexts>();
  for (const auto& [file, text] : texts)
    made->texts.push_back(runtime::checked_text(file, text, extra));
  return made;
}

/// The texts with values, around them what the thread has.
Texts with_values(const Texts& texts, const py::dict& values) {
  auto made = std::make_shared<KernelTexts>(KernelTexts{texts->texts, {}, {}});
  made->around = runtime::kernel_texts();
  for (const auto& [name, value] : values) {
    runtime::ExtraValue& place = made->values[name.cast<std::string>()];
    if (py::isinstance<autograd::Tensor>(value)) {
      place = value.cast<TensorPtr>()->value;
    } else if (py::isinstance<py::int_>(value)) {
      place = value.cast<int64_t>();
    } else {
      place = value.cast<double>();
    }
  }
  return made;
}

std::vector<std::string> used_by_kernels(const Texts& texts) {
  std::vector<std::string> names;
  for (const runtime::KernelText& text : texts->texts) {
    for (const runtime::ParameterInfo& each : text.extra) names.push_back(each.name);
  }
  return names;
}

/// A `with` block of this thread.
class TextsScope {
 public:
  explicit TextsScope(Texts texts) : texts_(std::move(texts)) {}
  void enter() { previous_.push_back(runtime::use_kernel_texts(texts_)); }
  void leave() {
    runtime::use_kernel_texts(std::move(previous_.back()));
    previous_.pop_back();
  }

 private:
  Texts texts_;
  std::vector<Texts> previous_;
};

}  // namespace

void note_overridable(const char* name) { overridable().insert(name); }

TensorPtr ask_override(const char* name, const char* method,
                       const py::args& arguments) {
  const py::object found =
      py::reinterpret_borrow<py::object>(asked)(name, method, *arguments);
  return found.is_none() ? nullptr : found.cast<TensorPtr>();
}

void init_override(py::module_& module) {
  module.def(
      "connect_overrides",
      [](py::function ask) { asked = py::object(ask).release().ptr(); }, py::arg("ask"),
      "Says who knows what stands in an op's place: ask(name, method, *arguments) "
      "gives its result, or None.");
  module.def(
      "count_overrides", [](int more) { open_overrides += asked ? more : 0; },
      py::arg("more"), "So many overrides more are open, on whichever thread.");
  module.def(
      "overridable", [] { return overridable(); },
      "Names of Tensor's ops that can be overridden.");
  py::class_<TextsScope>(module, "TextsScope", "A with block that launches texts.")
      .def("__enter__", &TextsScope::enter)
      .def("__exit__", [](TextsScope& scope, const py::args&) { scope.leave(); });
  py::class_<KernelTexts, std::shared_ptr<KernelTexts>>(
      module, "KernelTexts", "CUDA C++ in place of files of the library's kernels.")
      .def(py::init([](const std::map<std::string, std::string>& texts,
                       const std::vector<std::string>& extra) {
             return std::const_pointer_cast<KernelTexts>(make_texts(texts, extra));
           }),
           py::arg("texts"), py::arg("extra"))
      .def_property_readonly(
          "extra",
          [](const std::shared_ptr<KernelTexts>& texts) {
            return used_by_kernels(texts);
          },
          "Parameters of the texts beyond the library's.")
      .def(
          "launching",
          [](const std::shared_ptr<KernelTexts>& texts, const py::dict& values) {
            return TextsScope(with_values(texts, values));
          },
          py::arg("values"),
          "A with block of this thread in which they are launched with these values.");
}

}  // namespace minitorch::bindings
