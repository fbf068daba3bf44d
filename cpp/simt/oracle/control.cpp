// Calls of the scalar oracle: frames, arguments, and the functions of the device
// runtime.
#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "simt/oracle/machine.h"
#include "simt/warp/print_format.h"

namespace minitorch::simt::scalar {

namespace {

constexpr size_t kGreatestDepth = 1024;
constexpr uint32_t kGreatestLocal = 512 * 1024;
constexpr size_t kLongestText = 4096;

}  // namespace

void Machine::enter(Thread& thread, uint32_t index) {
  const ptx::Function& function = module_.functions[index];
  Frame frame;
  frame.function = &function;
  frame.index = index;
  frame.registers.resize(function.registers.size());
  frame.undefined.resize(function.registers.size());
  frame.returns.resize(function.return_bytes);
  frame.arguments.resize(function.call_argument_bytes);
  frame.results.resize(function.call_return_bytes);
  if (thread.frames.empty()) {
    frame.parameters = launch_.parameters;
    frame.parameters.resize(
        std::max<size_t>(launch_.parameters.size(), function.parameter_bytes));
  } else {
    const Frame& caller = thread.frame();
    frame.parameters = caller.arguments;
    frame.parameters.resize(function.parameter_bytes);
    frame.local_base =
        caller.local_base + (caller.function->local_bytes + 15) / 16 * 16;
  }
  const uint64_t top =
      frame.local_base + (uint64_t{function.local_bytes} + 15) / 16 * 16;
  if (thread.frames.size() > kGreatestDepth || top > kGreatestLocal) {
    fail(thread, MtFinding_StackOverflow, "calls are nested too deeply");
  }
  thread.local.resize(frame.local_base);
  thread.local.resize(top);
  thread.frames.push_back(std::move(frame));
}

void Machine::call(Thread& thread, const ptx::Instruction& instruction) {
  uint64_t index = instruction.target;
  if (instruction.target == ptx::kNone) {
    index = value(thread, instruction.sources[0]) - kFunctionWindow;
    if (index >= module_.functions.size()) {
      fail(thread, MtFinding_WildPointer, "the called address is no function");
    }
  }
  const ptx::Function& function = module_.functions[index];
  if (function.external) {
    call_runtime(thread, function.name);
    ++thread.frame().pc;
    return;
  }
  enter(thread, static_cast<uint32_t>(index));
}

void Machine::leave(Thread& thread) {
  if (thread.frames.size() == 1) {
    thread.state = Thread::State::Exited;
    return;
  }
  const std::vector<uint8_t> returns = std::move(thread.frame().returns);
  thread.local.resize(thread.frame().local_base);
  thread.frames.pop_back();
  Frame& caller = thread.frame();
  std::copy_n(returns.begin(), std::min(returns.size(), caller.results.size()),
              caller.results.begin());
  ++caller.pc;
}

std::string Machine::text_at(Thread& thread, uint64_t address) {
  std::string text;
  while (text.size() < kLongestText) {
    const uint8_t* letter =
        place(thread, {ptx::Space::Generic, address + text.size(), 1, MtAccess_Read});
    if (*letter == 0) break;
    text += static_cast<char>(*letter);
  }
  return text;
}

uint64_t Machine::runtime_argument(const Frame& frame, size_t offset) {
  uint64_t argument = 0;
  if (offset < frame.arguments.size()) {
    std::memcpy(&argument, frame.arguments.data() + offset,
                std::min(frame.arguments.size() - offset, sizeof argument));
  }
  return argument;
}

std::string Machine::printed(Thread& thread) {
  const uint64_t arguments = runtime_argument(thread.frame(), 8);
  PrintSource source;
  source.read = [&](uint64_t offset, void* to, uint32_t size) {
    for (uint32_t i = 0; i < size; ++i) {
      static_cast<uint8_t*>(to)[i] = *place(
          thread, {ptx::Space::Generic, arguments + offset + i, 1, MtAccess_Read});
    }
  };
  source.text = [&](uint64_t address) { return text_at(thread, address); };
  return format_print(source.text(runtime_argument(thread.frame(), 0)), source);
}

void Machine::call_runtime(Thread& thread, const std::string& name) {
  Frame& frame = thread.frame();
  const uint64_t argument = runtime_argument(frame, 0);
  uint64_t returned = 0;
  if (name == "vprintf") {
    const std::string text = printed(thread);
    if (launch_.print) launch_.print(text);
  } else if (name == "malloc") {
    returned = launch_.memory->allocate_heap(argument, launch_.heap_limit);
    table_ = launch_.memory->table();
  } else if (name == "free") {
    if (argument != 0 && !launch_.memory->release_heap(argument)) {
      fail(thread, MtFinding_InvalidFree,
           "free of an address that malloc did not return");
    }
    table_ = launch_.memory->table();
  } else if (name == "__assertfail") {
    fail(thread, MtFinding_Assert,
         base::text("assertion '", text_at(thread, argument), "' failed"));
  } else {
    fail(thread, MtFinding_Unsupported, "call of " + name);
  }
  std::copy_n(reinterpret_cast<const uint8_t*>(&returned),
              std::min<size_t>(frame.results.size(), sizeof returned),
              frame.results.begin());
}

}  // namespace minitorch::simt::scalar
