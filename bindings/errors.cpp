// Owns how C++ errors become Python exceptions: base errors map to built-in types, CUDA
// errors to the classes that minitorch/cuda/findings/errors.py registers. Composes no
// text.
#include <pybind11/stl.h>

#include "base/error.h"
#include "bindings/bindings.h"
#include "bindings/finding_fields.h"
#include "bindings/text.h"
#include "cuda_client/api.h"
#include "cuda_client/module.h"
#include "nvrtc/diagnostics.h"
#include "runtime/kernel_error.h"

namespace minitorch::bindings {
namespace {

// Leaked on purpose: errors may be raised while the interpreter shuts down.
py::dict& error_makers() {
  static auto* makers = new py::dict();
  return *makers;
}

void set_error(PyObject* type, const char* message) {
  PyErr_SetObject(type, text_of(message).ptr());
}

/// Raises what the maker of `name` returns for (message, **fields); RuntimeError before
/// there is one.
void raise(const char* name, const char* message, const py::dict& fields = {}) {
  if (!error_makers().contains(name)) {
    set_error(PyExc_RuntimeError, message);
    return;
  }
  const py::object make = error_makers()[name];
  const py::object error = make(text_of(message), **fields);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

void raise_compile_error(const nvrtc::CompileError& error) {
  py::dict fields;
  fields["diagnostics"] = py::cast(error.diagnostics);
  fields["log"] = text_of(error.log);
  raise("CompileError", error.what(), fields);
}

void raise_driver_error(const char* name, const cuda_client::CudaError& error) {
  py::dict fields;
  fields["code"] = static_cast<int>(error.result);
  raise(name, error.what(), fields);
}

void raise_image_error(const cuda_client::ImageError& error) {
  py::dict fields;
  fields["code"] = static_cast<int>(error.result);
  fields["log"] = text_of(error.log);
  raise("PtxError", error.what(), fields);
}

void raise_launch_error(const runtime::LaunchError& error) {
  py::dict fields;
  fields["kind"] = error.kind;
  raise("LaunchError", error.what(), fields);
}

void raise_kernel_error(const runtime::KernelError& error) {
  py::dict fields = finding_fields(error.finding);
  fields["launch_site"] = text_of(error.launch_site);
  raise("KernelError", error.what(), fields);
}

// Most derived first: the first clause that fits wins.
void translate(std::exception_ptr pending) {
  try {
    if (pending) std::rethrow_exception(pending);
  } catch (const runtime::KernelError& error) {
    raise_kernel_error(error);
  } catch (const runtime::LaunchError& error) {
    raise_launch_error(error);
  } catch (const nvrtc::CompileError& error) {
    raise_compile_error(error);
  } catch (const cuda_client::ImageError& error) {
    raise_image_error(error);
  } catch (const cuda_client::OutOfMemory& error) {
    raise_driver_error("OutOfMemoryError", error);
  } catch (const cuda_client::GraphCaptureError& error) {
    raise_driver_error("GraphCaptureError", error);
  } catch (const cuda_client::CudaError& error) {
    raise_driver_error("CudaError", error);
  } catch (const base::ValueError& error) {
    set_error(PyExc_ValueError, error.what());
  } catch (const base::TypeError& error) {
    set_error(PyExc_TypeError, error.what());
  } catch (const base::IndexError& error) {
    set_error(PyExc_IndexError, error.what());
  } catch (const base::Error& error) {
    set_error(PyExc_RuntimeError, error.what());
  }
}

}  // namespace

void init_errors(py::module_& module) {
  py::register_exception_translator(translate);
  module.def(
      "register_error",
      [](const std::string& name, const py::object& make) {
        error_makers()[name.c_str()] = make;
      },
      py::arg("name"), py::arg("make"),
      "Raises what `make(message, **fields)` returns for errors called `name`.");
}

}  // namespace minitorch::bindings
