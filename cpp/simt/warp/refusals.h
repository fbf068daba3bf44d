// The words for instructions that the emulator does not execute.
#pragma once

#include <string>
#include <string_view>

namespace minitorch::simt {

/// The opcode, for features of a card with their name and what to use in their place.
std::string refusal_of(std::string_view opcode);

}  // namespace minitorch::simt
