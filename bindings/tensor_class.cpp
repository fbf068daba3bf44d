#include "bindings/tensor_class.h"

#include <vector>

#include "bindings/python_hook.h"
#include "bindings/python_node.h"

namespace minitorch::bindings {
namespace {

using autograd::Node;
using autograd::TensorPtr;

constexpr size_t kMostNodes = 4096;  // walked per tensor; beyond, objects stay alive
traverseproc inherited_traverse = nullptr;
inquiry inherited_clear = nullptr;

/// The tensor of a Python object if nobody else owns it, else null.
TensorPtr* sole_tensor(PyObject* self) {
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  // Making the first object of a subclass allocates, and so may collect, before the
  // object has a layout.
  if (!instance->simple_layout && !instance->nonsimple.status) return nullptr;
  auto slot = instance->get_value_and_holder();
  if (!slot.holder_constructed()) return nullptr;
  auto& holder = slot.holder<TensorPtr>();
  return holder.use_count() == 1 ? &holder : nullptr;
}

int traverse_hooks(const std::shared_ptr<autograd::Hooks>& hooks, visitproc visit,
                   void* argument) {
  if (!hooks || hooks.use_count() != 1) return 0;
  for (const auto& [number, hook] : hooks->list) {
    const auto* python = dynamic_cast<const PythonHook*>(hook.get());
    if (!python || hook.use_count() != 1) continue;
    if (const int result = python->traverse(visit, argument)) return result;
  }
  return 0;
}

/// Visits the Python objects that live only through this tensor: its hooks, and those
/// of custom nodes reached over edges that nothing else shares. A shared node may be
/// needed elsewhere, so leaving it out is right.
int traverse(PyObject* self, visitproc visit, void* argument) {
  if (const int result = inherited_traverse(self, visit, argument)) return result;
  TensorPtr* tensor = sole_tensor(self);
  if (!tensor) return 0;
  if (const int result = traverse_hooks((*tensor)->hooks, visit, argument)) {
    return result;
  }
  if ((*tensor)->node.use_count() != 1) return 0;
  std::vector<Node*> open{(*tensor)->node.get()};
  for (size_t seen = 0; !open.empty() && seen < kMostNodes; ++seen) {
    Node* node = open.back();
    open.pop_back();
    if (auto* python = dynamic_cast<PythonNode*>(node)) {
      if (const int result = python->traverse(visit, argument)) return result;
    }
    if (const int result = traverse_hooks(node->hooks(), visit, argument)) {
      return result;
    }
    for (const auto& input : node->inputs()) {
      if (input.use_count() == 1) open.push_back(input.get());
    }
  }
  return 0;
}

int clear(PyObject* self) {
  if (TensorPtr* tensor = sole_tensor(self)) {
    (*tensor)->node.reset();
    (*tensor)->hooks.reset();
  }
  return inherited_clear(self);
}

void join_collection(PyHeapTypeObject* type) {
  inherited_traverse = type->ht_type.tp_traverse;
  inherited_clear = type->ht_type.tp_clear;
  type->ht_type.tp_traverse = traverse;
  type->ht_type.tp_clear = clear;
#if PY_VERSION_HEX < 0x030C0000
  // Python 3.11 does not see that the class has a dict, gives each subclass one more
  // view of it, and visits it twice: a cycle through it would never be collected. It
  // lies three pointers in front of the object.
  constexpr auto kBefore = static_cast<Py_ssize_t>(3 * sizeof(PyObject*));
  type->ht_type.tp_dictoffset = -type->ht_type.tp_basicsize - kBefore;
#endif
}

}  // namespace

TensorClass make_tensor_class(py::module_& module) {
  return TensorClass(module, "Tensor", py::dynamic_attr(), py::buffer_protocol(),
                     py::custom_type_setup(join_collection),
                     "Numbers of one dtype in a strided layout, with their history.");
}

}  // namespace minitorch::bindings
