// The libFuzzer target over PTX texts: decode() answers with a module or a PtxError
// that has a line and a column, whatever it is given.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ptx/decode.h"
#include "ptx/to_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace ptx = minitorch::ptx;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto module = ptx::decode(text);
    for (const ptx::Function& function : module->functions) to_text(function, *module);
  } catch (const ptx::PtxError& error) {
    if (error.line == 0 || error.column == 0) {
      std::fprintf(stderr, "no place: %s\n", error.what());
      std::abort();
    }
  }
  return 0;
}
