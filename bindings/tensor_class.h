// How the Python class Tensor is made: its holder and its part in garbage collection.
#pragma once

#include "bindings/tensor_argument.h"

namespace minitorch::bindings {

using TensorClass = py::class_<autograd::Tensor, std::shared_ptr<autograd::Tensor>>;

/// Declares the class (tensor_class.cpp).
TensorClass make_tensor_class(py::module_& module);

/// In-place operators and methods (in_place.cpp).
void bind_in_place(TensorClass& tensor);

/// Hooks on gradients (hooks.cpp).
void bind_hooks(py::module_& module, TensorClass& tensor);

/// Names, backends, and making a tensor of its parts (backend.cpp).
void bind_backend(TensorClass& tensor);
/// Dialects, and tensors as objects of Python's subclasses (dialect.cpp).
void bind_dialect(TensorClass& tensor);
/// Buffers and shared memory (interchange.cpp).
void bind_interchange(py::module_& module, TensorClass& tensor);

/// Reductions, layout, product and losses (tensor_methods.cpp).
void bind_tensor_methods(TensorClass& tensor);

/// Indexing, choosing, joining (indexing.cpp).
void bind_indexing(TensorClass& tensor);

}  // namespace minitorch::bindings
