// How an array among a launch's arguments looks in Python, for recordings and
// inspections.
#pragma once

#include <string>
#include <vector>

#include "bindings/array_arguments.h"
#include "bindings/text.h"
#include "runtime/record_log.h"

namespace minitorch::bindings {

/// A dict of parameter, address, shape, strides (elements), dtype and bytes; None for
/// what is not known. `names` are those of the kernel's parameters.
inline py::dict array_fields(const runtime::ArrayNote& note,
                             const std::vector<std::string>& names) {
  const bool written = *note.name == '\0' && note.parameter < names.size();
  py::dict fields;
  fields["parameter"] = text_of(written ? names[note.parameter] : note.name);
  fields["address"] = note.address;
  fields["shape"] = note.known ? py::object(tuple_from(note.shape)) : py::none();
  fields["strides"] = note.known ? py::object(tuple_from(note.strides)) : py::none();
  fields["dtype"] =
      note.known ? py::object(py::str(dtype_name(note.dtype))) : py::none();
  fields["bytes"] = note.bytes;
  return fields;
}

}  // namespace minitorch::bindings
