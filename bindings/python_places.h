// The numbers of places in Python: stacks of frames, kept until nobody asks for them.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minitorch::bindings {

/// Sets who tells the library's files from the learner's (`is_inside(filename)`), and
/// how a file is called (`display_name(filename)`).
void set_place_words(const pybind11::function& is_inside,
                     const pybind11::function& display_name);

/// Numbers the frames of this thread: all of them, or the learner's innermost alone.
/// The same frames at the same instructions have the same number; 0: there are none, or
/// there are too many to tell apart. Takes the GIL, and never throws.
uint32_t take_place(bool whole_stack) noexcept;

/// "train.py:12", the innermost of the learner; "" where there is none.
std::string site_of(uint32_t place);
/// "train.py(12): step", innermost first; of a place that is one line, that line.
std::vector<std::string> stack_of(uint32_t place);

/// Forgets all numbers, with the code that they hold.
void forget_places();

}  // namespace minitorch::bindings
