// The binding of embeddings and of dropout's masks.
#include "autograd/embedding.h"

#include "bindings/array_arguments.h"
#include "bindings/tensor_class.h"
#include "ops/random.h"

namespace minitorch::bindings {

void init_embedding(py::module_& module) {
  module.def("embedding", &autograd::embedding, py::arg("table").none(false),
             py::arg("indices").none(false), py::arg("skipped"), Nogil(),
             "Rows of a table; those looked up as `skipped` get no gradient.");
  module.def(
      "dropout_mask",
      [](const array::Shape& shape, double rate, array::Dtype dtype,
         array::Device device) {
        return autograd::make_tensor(ops::dropout_mask(shape, rate, dtype, device));
      },
      py::arg("shape"), py::arg("rate"), py::arg("dtype"), py::arg("device"), Nogil(),
      "0 with probability `rate`, else 1 / (1 - rate).");
}

}  // namespace minitorch::bindings
