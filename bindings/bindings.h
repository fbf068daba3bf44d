// The list of bound nouns: each file of this room has one `init_*`, called by
// module.cpp in this order.
#pragma once

#include <pybind11/pybind11.h>

#include "bindings/gil.h"

namespace minitorch::bindings {

namespace py = pybind11;

void init_errors(py::module_& module);
void init_blas(py::module_& module);
void init_convolution(py::module_& module);
void init_device_moves(py::module_& module);
void init_dlpack(py::module_& module);
void init_descent(py::module_& module);
void init_embedding(py::module_& module);
void init_host_memory(py::module_& module);
void init_memory(py::module_& module);
void init_normalisation(py::module_& module);
void init_nvrtc(py::module_& module);
void init_device(py::module_& module);
void init_stream(py::module_& module);
void init_cuda_graph(py::module_& module);
void init_findings(py::module_& module);
void init_device_array(py::module_& module);
void init_places(py::module_& module);
void init_pooling(py::module_& module);
void init_raw_module(py::module_& module);
void init_recorder(py::module_& module);
void init_resources(py::module_& module);
void init_inspection(py::module_& module);
void init_array(py::module_& module);
void init_backend(py::module_& module);
void init_dialect(py::module_& module);
void init_override(py::module_& module);
void init_graph(py::module_& module);
void init_tensor(py::module_& module);
void init_numpy(py::module_& module);
void init_autograd(py::module_& module);
void init_joining(py::module_& module);
void init_random(py::module_& module);
void init_scalar_function(py::module_& module);

}  // namespace minitorch::bindings
