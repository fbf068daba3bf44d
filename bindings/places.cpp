// The binding of recordings of places: a dictionary a launch.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/text.h"
#include "runtime/placement.h"

namespace minitorch::bindings {
namespace {

using runtime::BlockPlace;
using runtime::PlacedLaunch;
using runtime::PlaceRecording;

template <class T, class Member>
py::array_t<T> place_column(const PlacedLaunch& launch, Member member) {
  py::array_t<T> array(static_cast<py::ssize_t>(launch.blocks.size()));
  T* out = array.mutable_data();
  for (const BlockPlace& block : launch.blocks) *out++ = block.*member;
  return array;
}

py::dict place_fields(const PlacedLaunch& launch) {
  py::dict fields;
  fields["kernel"] = text_of(launch.kernel->name);
  fields["file"] = text_of(launch.kernel->file);
  fields["grid"] = py::make_tuple(launch.grid.x, launch.grid.y, launch.grid.z);
  fields["block"] = py::make_tuple(launch.block.x, launch.block.y, launch.block.z);
  fields["library"] = launch.library;
  fields["sm"] = place_column<uint32_t>(launch, &BlockPlace::processor);
  fields["begin_ns"] = place_column<uint64_t>(launch, &BlockPlace::begin);
  fields["end_ns"] = place_column<uint64_t>(launch, &BlockPlace::end);
  fields["why"] = text_of(launch.why);
  return fields;
}

}  // namespace

void init_places(py::module_& module) {
  py::class_<PlaceRecording, std::shared_ptr<PlaceRecording>>(
      module, "PlaceRecording",
      "Where and when the blocks of this thread's launches run.")
      .def_static("open", &PlaceRecording::open, Nogil())
      .def("close", &PlaceRecording::close, py::arg("quiet"), Nogil(),
           "Waits for the launches, or forgets them.")
      .def(
          "launches",
          [](const PlaceRecording& recording) {
            py::list rows;
            for (const PlacedLaunch& launch : recording.launches())
              rows.append(place_fields(launch));
            return rows;
          },
          "A dictionary for each launch, in their order.");
  module.def("timer_step", &runtime::timer_step, Nogil(),
             "The smallest step of the device's %globaltimer, in nanoseconds.");
}

}  // namespace minitorch::bindings
