// Owns the 16-bit floating types of a kernel: CUDA's own, with their operators.
// Included only where a kernel uses one, since these headers are long.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
