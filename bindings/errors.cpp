// How C++ errors become Python exceptions: base errors map to built-in types or to ones
// that are a RuntimeError as well, CUDA errors to the classes that
// minitorch/cuda/errors.py registers. Composes no text.
#include <pybind11/stl.h>

#include "base/error.h"
#include "bindings/bindings.h"
#include "bindings/finding_fields.h"
#include "bindings/text.h"
#include "cuda_client/api.h"
#include "cuda_client/module.h"
#include "nvrtc/diagnostics.h"
#include "ops/elementwise.h"
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

/// A built-in kind of error that is a RuntimeError too, under its old name: scripts
/// written for PyTorch catch RuntimeError where shapes or dtypes do not fit, others the
/// kind itself. Leaked like the makers.
class DoubleError {
 public:
  DoubleError(py::module_& module, const char* name, PyObject* kind) {
    const py::tuple bases =
        py::make_tuple(py::handle(kind), py::handle(PyExc_RuntimeError));
    // By its name pickle would find the built-in class, which is another.
    py::dict members;
    members["__reduce__"] = py::cpp_function(
        [module = py::object(module), name](const py::object& self) {
          return py::make_tuple(module.attr("fit_error"),
                                py::make_tuple(name) + py::tuple(self.attr("args")));
        },
        py::is_method(py::none()));
    const std::string full = std::string("builtins.") + name;
    type_ = PyErr_NewException(full.c_str(), bases.ptr(), members.ptr());
    if (type_ == nullptr) throw py::error_already_set();
  }
  PyObject* type() const { return type_; }

 private:
  PyObject* type_;
};

struct DoubleErrors {
  DoubleError value, type, index;
  DoubleError device;  // a kind of `value`
};
DoubleErrors* double_errors = nullptr;

PyObject* double_error(const std::string& name) {
  if (name == "ValueError") return double_errors->value.type();
  if (name == "TypeError") return double_errors->type.type();
  if (name == "IndexError") return double_errors->index.type();
  throw base::ValueError("fit_error", "got '" + name +
                                          "'; need ValueError, TypeError "
                                          "or IndexError.");
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
  } catch (const ops::DeviceError& error) {
    set_error(double_errors->device.type(), error.what());
  } catch (const base::ValueError& error) {
    set_error(double_errors->value.type(), error.what());
  } catch (const base::TypeError& error) {
    set_error(double_errors->type.type(), error.what());
  } catch (const base::IndexError& error) {
    set_error(double_errors->index.type(), error.what());
  } catch (const base::Error& error) {
    set_error(PyExc_RuntimeError, error.what());
  }
}

}  // namespace

void init_errors(py::module_& module) {
  const DoubleError value(module, "ValueError", PyExc_ValueError);
  double_errors = new DoubleErrors{value,
                                   {module, "TypeError", PyExc_TypeError},
                                   {module, "IndexError", PyExc_IndexError},
                                   {module, "ValueError", value.type()}};
  py::register_exception_translator(translate);
  module.attr("FitError") = py::handle(value.type());
  module.attr("DeviceError") = py::handle(double_errors->device.type());
  module.def(
      "fit_error",
      [](const std::string& name, const py::args& args) {
        return py::reinterpret_borrow<py::object>(double_error(name))(*args);
      },
      py::arg("name"),
      "An error of the built-in kind `name` that `except RuntimeError` catches too.");
  module.def(
      "register_error",
      [](const std::string& name, const py::object& make) {
        error_makers()[name.c_str()] = make;
      },
      py::arg("name"), py::arg("make"),
      "Raises what `make(message, **fields)` returns for errors called `name`.");
}

}  // namespace minitorch::bindings
