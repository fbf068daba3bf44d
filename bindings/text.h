// The way between Python and texts that nobody promises to be UTF-8: from kernels, PTX,
// files and drivers.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

namespace minitorch::bindings {

/// A Python str; bytes that are no UTF-8 become U+FFFD, so that no finding is lost to
/// one of them.
inline pybind11::str text_of(std::string_view bytes) {
  PyObject* made = PyUnicode_DecodeUTF8(
      bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (made == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::str>(made);
}

/// The UTF-8 of a Python str; "?" for what has none, as in the name of a file whose
/// bytes are none. A TypeError for another object.
inline std::string utf8_of(const pybind11::object& text) {
  PyObject* made = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "replace");
  if (made == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::bytes>(made);
}

}  // namespace minitorch::bindings
