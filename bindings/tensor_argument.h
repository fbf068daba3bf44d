// Owns how a bound function takes a tensor: never as a null pointer.
#pragma once

#include "autograd/tensor.h"
#include "bindings/bindings.h"

namespace pybind11::detail {

/// Python's None is no tensor: an argument that may be None is a std::optional.
template <>
class type_caster<std::shared_ptr<minitorch::autograd::Tensor>>
    : public copyable_holder_caster<minitorch::autograd::Tensor,
                                    std::shared_ptr<minitorch::autograd::Tensor>> {
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
    return Base::load(source, convert);
  }
};

}  // namespace pybind11::detail
