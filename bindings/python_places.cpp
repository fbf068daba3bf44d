#include "bindings/python_places.h"

#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "bindings/gil.h"
#include "bindings/text.h"

namespace minitorch::bindings {
namespace {

namespace py = pybind11;

constexpr size_t kMostPlaces = 1 << 16;
constexpr int kMostFrames = 256;  // the innermost of a deep recursion

/// Code, and the instruction in it: its line is looked up when somebody reads it.
using Frame = std::pair<PyCodeObject*, int>;
using Frames = std::vector<Frame>;

struct FramesHash {
  size_t operator()(const Frames& frames) const {
    uint64_t mixed = frames.size();
    for (const auto& [code, instruction] : frames) {
      mixed ^= reinterpret_cast<uintptr_t>(code) + static_cast<uint64_t>(instruction);
      mixed *= 0x9e3779b97f4a7c15;
      mixed ^= mixed >> 29;
    }
    return mixed;
  }
};

struct Places {
  std::unordered_map<Frames, uint32_t, FramesHash> numbers;
  std::vector<const Frames*> by_number;               // number - 1
  std::unordered_map<PyCodeObject*, bool> is_inside;  // holds each code
  Frames scratch;
  py::function is_inside_file, display_name;

  static Places& all() {
    static Places* const made = new Places;  // outlives the interpreter
    return *made;
  }
};

/// Is it code of the library? The code is held from the first question on.
bool is_inside(Places& places, PyCodeObject* code) {
  const auto known = places.is_inside.find(code);
  if (known != places.is_inside.end()) return known->second;
  const py::handle file = code->co_filename;
  const bool inside = places.is_inside_file && places.is_inside_file(file).cast<bool>();
  Py_INCREF(code);
  return places.is_inside[code] = inside;
}

void collect(Places& places, bool whole_stack) {
  places.scratch.clear();
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  int count = 0;
  while (frame && count < kMostFrames) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const bool inside = is_inside(places, code);  // holds it: ours can go
    Py_DECREF(code);
    if (whole_stack || !inside) {
      places.scratch.emplace_back(code, PyFrame_GetLasti(frame));
      ++count;
    }
    if (!whole_stack && !inside) break;
    PyFrameObject* const back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
}

std::string called(const Places& places, const Frame& frame) {
  const py::object file = py::reinterpret_borrow<py::object>(frame.first->co_filename);
  return utf8_of(places.display_name ? places.display_name(file) : file);
}

int line_of(const Frame& frame) { return PyCode_Addr2Line(frame.first, frame.second); }

const Frames* frames_of(const Places& places, uint32_t place) {
  const bool known = place >= 1 && place <= places.by_number.size();
  return known ? places.by_number[place - 1] : nullptr;
}

uint32_t number_of(Places& places) {
  if (places.scratch.empty()) return 0;
  const auto found = places.numbers.find(places.scratch);
  if (found != places.numbers.end()) return found->second;
  if (places.by_number.size() >= kMostPlaces) return 0;
  const auto number = static_cast<uint32_t>(places.by_number.size()) + 1;
  const auto made = places.numbers.emplace(places.scratch, number).first;
  places.by_number.push_back(&made->first);
  return number;
}

}  // namespace

void set_place_words(const py::function& is_inside, const py::function& display_name) {
  Places::all().is_inside_file = is_inside;
  Places::all().display_name = display_name;
}

uint32_t take_place(bool whole_stack) noexcept {
  if (!Py_IsInitialized()) return 0;
  const AcquireGil gil;
  const py::error_scope kept;  // an error may be set already
  try {
    Places& places = Places::all();
    collect(places, whole_stack);
    return number_of(places);
  } catch (const std::exception&) {
    return 0;  // without memory there is no place
  }
}

std::string site_of(uint32_t place) {
  Places& places = Places::all();
  const Frames* frames = frames_of(places, place);
  if (!frames) return "";
  for (const Frame& frame : *frames)
    if (!is_inside(places, frame.first))
      return base::text(called(places, frame), ":", line_of(frame));
  return "";
}

std::vector<std::string> stack_of(uint32_t place) {
  const Places& places = Places::all();
  std::vector<std::string> lines;
  const Frames* frames = frames_of(places, place);
  if (!frames) return lines;
  for (const Frame& frame : *frames) {
    const py::object name = py::reinterpret_borrow<py::object>(frame.first->co_name);
    lines.push_back(
        base::text(called(places, frame), "(", line_of(frame), "): ", utf8_of(name)));
  }
  return lines;
}

void forget_places() {
  Places& places = Places::all();
  places.numbers.clear();
  places.by_number.clear();
  const auto held = std::exchange(places.is_inside, {});
  for (const auto& [code, inside] : held) Py_DECREF(code);
}

}  // namespace minitorch::bindings
