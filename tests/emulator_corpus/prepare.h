// What kernels of the corpus share: sizes, and the buffers of those that need more than
// a line.
#pragma once

#include "bench.h"

namespace corpus {

uint32_t blocks_of(int n, uint32_t threads);
int odd(const Bench& b);
size_t cells(int n);
void square(Bench& b, int n, uint32_t tile);
void blocked(Bench& b);
void transpose(Bench& b);
void elementwise(Bench& b, int outputs);
void math_f32(Bench& b);
void math_f64(Bench& b);
void conv2d(Bench& b);
void im2col(Bench& b);
void maxpool(Bench& b);
void strided(Bench& b, int inputs);
void struct_arg(Bench& b);
void atomics(Bench& b);
void cvt_mix(Bench& b);
void half_arith(Bench& b);
void bf16_arith(Bench& b);
void coop_groups(Bench& b);
void mma_sync(Bench& b);
void wmma(Bench& b);
void warp_vote(Bench& b);
void flash(Bench& b);
void rows_of(Bench& b, bool weights);

}  // namespace corpus
