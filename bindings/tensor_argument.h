// How a bound function takes a tensor: never as a null pointer.
#pragma once

#include "autograd/tensor.h"
#include "bindings/bindings.h"

namespace minitorch::bindings {

/// The Python classes that show tensors, by dialect; what has none is shown as
/// MiniTorch's. Python registers its subclasses; until then it is the C++ class.
inline PyTypeObject* tensor_types[3] = {};

/// The objects that PyTorch's dialect shows as dtypes, one each: Python registers them.
inline PyObject* torch_dtypes[16] = {};

/// A dtype as the dialect of its tensor shows it.
struct ShownDtype {
  py::object object;
};

}  // namespace minitorch::bindings

namespace pybind11::detail {

/// Python's None is no tensor: an argument that may be None is a std::optional.
template <>
class type_caster<std::shared_ptr<minitorch::autograd::Tensor>>
    : public copyable_holder_caster<minitorch::autograd::Tensor,
                                    std::shared_ptr<minitorch::autograd::Tensor>> {
  using Holder = std::shared_ptr<minitorch::autograd::Tensor>;
  using Base = copyable_holder_caster<minitorch::autograd::Tensor,
                                      std::shared_ptr<minitorch::autograd::Tensor>>;

 public:
  bool load(handle source, bool convert) {
    // Asked first, because pybind11 looks for converters of any other object, which
    // would cost `tensor + 1.0` more than the sum. There are none.
    static PyTypeObject* known = nullptr;
    if (!known) {
      const type_info* info = get_type_info(typeid(minitorch::autograd::Tensor));
      if (info) known = info->type;
    }
    if (!known || !PyObject_TypeCheck(source.ptr(), known)) return false;
    auto* object = reinterpret_cast<instance*>(source.ptr());
    if (!object->simple_layout) return Base::load(source, convert);
    // As pybind11 does for the class itself; of a subclass it would ask a table.
    auto slot = value_and_holder(object, typeinfo, 0, 0);
    if (!slot.holder_constructed()) return Base::load(source, convert);
    value = slot.value_ptr();
    this->shared_ptr_storage = slot.template holder<Holder>();
    return true;
  }

  static handle cast(const Holder& source, return_value_policy policy, handle parent) {
    if (!source) return none().release();
    const auto dialect = static_cast<size_t>(source->dialect);
    PyTypeObject* type = minitorch::bindings::tensor_types[dialect];
    if (!type) return Base::cast(source, policy, parent);
    if (handle known = find_registered_python_instance(source.get(), known_type())) {
      return known;
    }
    return made_as(type, source).release();
  }

  /// A new Python object of a subclass around a tensor that has none.
  static object made_as(PyTypeObject* type, const Holder& source) {
    auto made = reinterpret_steal<object>(make_new_instance(type));
    auto* wrapper = reinterpret_cast<instance*>(made.ptr());
    wrapper->owned = true;
    value_and_holder(wrapper, known_type(), 0, 0).value_ptr() = source.get();
    known_type()->init_instance(wrapper, &source);
    return made;
  }

 private:
  static const type_info* known_type() {
    static const type_info* info = get_type_info(typeid(minitorch::autograd::Tensor));
    return info;
  }
};

template <>
struct type_caster<minitorch::bindings::ShownDtype> {
  static constexpr auto name = const_name("DType");
  static handle cast(const minitorch::bindings::ShownDtype& shown, return_value_policy,
                     handle) {
    return object(shown.object).release();
  }
};

}  // namespace pybind11::detail

namespace minitorch::bindings {

/// `tensor`, which no Python object shows yet, as an object of a subclass.
inline py::object as_instance(PyTypeObject* type, const autograd::TensorPtr& tensor) {
  return py::detail::type_caster<autograd::TensorPtr>::made_as(type, tensor);
}

}  // namespace minitorch::bindings
