// The order in which nouns are bound into minitorch._core, and nothing else.
#include "bindings/bindings.h"

PYBIND11_MODULE(_core, module) {
  namespace bindings = minitorch::bindings;
  module.doc() = "The C++ core of minitorch. Private: import minitorch instead.";
  bindings::init_errors(module);
  bindings::init_blas(module);
  bindings::init_nvrtc(module);
  bindings::init_device(module);
  bindings::init_stream(module);
  bindings::init_recorder(module);
  bindings::init_cuda_graph(module);
  bindings::init_findings(module);
  bindings::init_device_array(module);
  bindings::init_host_memory(module);
  bindings::init_raw_module(module);
  bindings::init_resources(module);
  bindings::init_inspection(module);
  bindings::init_places(module);
  bindings::init_array(module);
  bindings::init_override(module);
  bindings::init_tensor(module);
  bindings::init_backend(module);
  bindings::init_dialect(module);
  bindings::init_graph(module);
  bindings::init_numpy(module);
  bindings::init_autograd(module);
  bindings::init_convolution(module);
  bindings::init_pooling(module);
  bindings::init_normalisation(module);
  bindings::init_embedding(module);
  bindings::init_descent(module);
  bindings::init_dlpack(module);
  bindings::init_device_moves(module);
  bindings::init_memory(module);
  bindings::init_joining(module);
  bindings::init_random(module);
  bindings::init_scalar_function(module);
}
