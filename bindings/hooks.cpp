// The binding of hooks on gradients, their handles, and retain_grad.
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "bindings/array_arguments.h"
#include "bindings/python_hook.h"
#include "bindings/tensor_class.h"

namespace minitorch::bindings {

using autograd::Hooks;
using autograd::TensorPtr;

PythonHook::~PythonHook() {
  if (!Py_IsInitialized()) {  // the interpreter is gone, and its objects with it
    function_.release();
    return;
  }
  const AcquireGil gil;
  function_ = py::object();
}

TensorPtr PythonHook::operator()(const TensorPtr& gradient) {
  const AcquireGil gil;
  const py::object result = function_(gradient);
  if (result.is_none()) return nullptr;
  if (!py::isinstance<autograd::Tensor>(result)) {
    throw base::TypeError("hook", base::text("got ", Py_TYPE(result.ptr())->tp_name,
                                             "; need a Tensor or None."));
  }
  return result.cast<TensorPtr>();
}

namespace {

/// Removes one hook; harmless when its graph is gone.
class HookHandle {
 public:
  HookHandle(const std::shared_ptr<Hooks>& hooks, uint64_t number)
      : hooks_(hooks), number_(number) {}
  void remove() {
    const auto hooks = hooks_.lock();
    if (!hooks) return;
    std::erase_if(hooks->list, [&](const auto& row) { return row.first == number_; });
  }

 private:
  std::weak_ptr<Hooks> hooks_;
  uint64_t number_;
};

HookHandle register_hook(const TensorPtr& tensor, py::object hook) {
  if (!PyCallable_Check(hook.ptr())) {
    throw base::TypeError("register_hook",
                          base::text("got ", Py_TYPE(hook.ptr())->tp_name,
                                     "; need a function of the gradient."));
  }
  const auto hooks = autograd::hooks_of(tensor, "register_hook");
  hooks->list.emplace_back(hooks->next, std::make_shared<PythonHook>(std::move(hook)));
  return HookHandle(hooks, hooks->next++);
}

}  // namespace

void bind_hooks(py::module_& module, TensorClass& tensor) {
  py::class_<HookHandle>(module, "HookHandle", "What register_hook returns.")
      .def("remove", &HookHandle::remove, "The hook is not called any more.")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", [](HookHandle& self, const py::args&) { self.remove(); });
  tensor
      .def("register_hook", &register_hook, py::arg("hook"),
           "Calls hook(gradient) in every backward, once the whole gradient of this "
           "tensor is known; what it returns, if not None, goes on in its place. The "
           "handle's remove() ends that.")
      .def("retain_grad", &autograd::retain_grad,
           "Keeps the gradient in `grad` although an op made the tensor.");
}

}  // namespace minitorch::bindings
