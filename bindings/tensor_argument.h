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
    return !source.is_none() && Base::load(source, convert);
  }
};

}  // namespace pybind11::detail
