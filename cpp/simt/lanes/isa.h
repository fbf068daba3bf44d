// The choice between the builds of the lane handlers; knows no instruction.
//
// Sources named isa_*.cpp (and only those) are compiled once per instruction set with
// MINITORCH_ISA defined to the namespace they must live in: `portable` (whatever the
// compiler's baseline is), `avx2` (x86-64-v3 with FMA and F16C), `avx512` (x86-64-v4).
// Plain loops over 32 lanes are left to the vectoriser; intrinsics stay inside small
// functions guarded by __AVX512F__ / __AVX2__ with a portable version beside them.
#pragma once

namespace minitorch::simt {

enum class Isa { Portable, Avx2, Avx512 };

/// The best this processor can run, unless MINITORCH_ISA=portable|avx2|avx512 asks for
/// less. Decided once.
Isa active_isa();
const char* isa_name(Isa isa);

}  // namespace minitorch::simt
