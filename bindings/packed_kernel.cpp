// Owns the binding of kernels whose arguments come packed. Must not know how values are
// packed: minitorch/cuda's.
#include "runtime/packed_kernel.h"

#include <pybind11/stl.h>

#include <array>

#include "bindings/bindings.h"

namespace minitorch::bindings {
namespace {

using runtime::PackedKernel;
using runtime::PackedParameter;
using Extent = std::array<uint32_t, 3>;
using Row = std::tuple<std::string, uint32_t, uint32_t, std::vector<uint32_t>>;

std::shared_ptr<PackedKernel> make(std::shared_ptr<runtime::RawKernel> kernel,
                                   const std::vector<Row>& rows, uint32_t owner) {
  std::vector<PackedParameter> parameters;
  for (const auto& [name, offset, size, pointers] : rows)
    parameters.push_back({name, offset, size, pointers});
  return std::make_shared<PackedKernel>(std::move(kernel), std::move(parameters),
                                        owner);
}

void launch(PackedKernel& kernel, const Extent& grid, const Extent& block,
            const py::bytes& arguments, uint32_t shared_mem,
            const std::optional<std::shared_ptr<driver::Stream>>& stream) {
  const std::string_view bytes = arguments;
  std::optional<CUstream> queue;
  if (stream) queue = (*stream)->handle();
  const ReleaseGil nogil;
  kernel.launch(base::Dim3::of(grid), base::Dim3::of(block),
                std::as_bytes(std::span(bytes)), shared_mem, queue);
}

bool finds_wrong_index(PackedKernel& kernel, const Extent& grid, const Extent& block,
                       const py::bytes& arguments, uint32_t shared_mem,
                       const std::optional<std::shared_ptr<driver::Stream>>& stream) {
  const std::string_view bytes = arguments;
  std::optional<CUstream> queue;
  if (stream) queue = (*stream)->handle();
  const ReleaseGil nogil;
  return kernel.finds_wrong_index(base::Dim3::of(grid), base::Dim3::of(block),
                                  std::as_bytes(std::span(bytes)), shared_mem, queue);
}

}  // namespace

void init_packed_kernel(py::module_& module) {
  py::class_<PackedKernel, std::shared_ptr<PackedKernel>>(
      module, "PackedKernel", "A kernel whose arguments come as bytes.")
      .def(py::init(&make), py::arg("kernel"), py::arg("parameters"), py::arg("owner"),
           "Parameters are tuples (name, offset, size, offsets of pointers).")
      .def_property_readonly("nbytes", &PackedKernel::bytes, "Bytes of the arguments.")
      .def("launch", &launch, py::arg("grid"), py::arg("block"), py::arg("arguments"),
           py::arg("shared_mem"), py::arg("stream"),
           "Launches; without a stream on the current one.")
      .def("finds_wrong_index", &finds_wrong_index, py::arg("grid"), py::arg("block"),
           py::arg("arguments"), py::arg("shared_mem"), py::arg("stream"),
           "Runs it to see whether a check of indices fails; tells nothing else.");
}

}  // namespace minitorch::bindings
