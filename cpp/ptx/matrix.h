// The reading of matrix opcodes (mma, wmma, ldmatrix, movmatrix) by the rows of
// matrices.inc, and how many registers their fragments take.
#pragma once

#include <string_view>

#include "ptx/opcode.h"

namespace minitorch::ptx {

bool is_matrix(Op op);

/// What the words behind a mnemonic turned out to be.
enum class MatrixWords : uint8_t {
  Read,
  Foreign,  // words of PTX in a combination that is not in matrices.inc
  Wrong,    // a word that no matrix instruction has: `word`
};

/// Completes `opcode` (its `op` is set) from `words`, ".aligned.row..." without the
/// mnemonic. `word` becomes the word that was Wrong.
MatrixWords read_matrix(std::string_view mnemonic, std::string_view words,
                        Opcode& opcode, std::string_view& word);

/// Element type of a fragment; D where loads and stores name an accumulator.
Type fragment_type(const MatrixForm& form, Fragment fragment);
/// Bits of one element.
uint32_t element_bits(Type type);
/// Elements that one register holds: 1 for f32, s32, tf32 and f64.
uint32_t elements_a_register(Type type);
/// Registers that one lane's part of the fragment takes.
uint32_t fragment_registers(const Opcode& opcode, Fragment fragment);
/// The type of those registers: B64 for f64, else B32.
Type register_type(Type element);

}  // namespace minitorch::ptx
