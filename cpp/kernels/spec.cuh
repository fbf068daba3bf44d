// A sample of the header that every launch generates, so that each kernel file also
// compiles alone (nvcc, clangd). It lists all names a kernel may ask for.
#pragma once

using Scalar = float;     // element type of the output, and of inputs unless said
using Source = float;     // copy.cu and zip.cu: element type of the inputs
using Working = float;    // zip_number.cu, clamp.cu: type that is computed in
using Condition = bool;   // where.cu: element type of the condition
using Index = int;        // int, or long long when a size or offset needs 64 bits
constexpr int NDIM = 2;   // dimensions walked; 0: every array in storage order
constexpr int TILE = 16;  // matmul: tile edge; reduce: threads in a block
constexpr int GROUP = 8;  // reduce: threads that share one output, a power of two
constexpr bool ALONG_ROWS = true;  // reduce: neighbouring threads, neighbouring cells
constexpr bool BIAS = true;        // conv2d: a bias is added
constexpr bool COUNT_PADDING = true;  // avg_pool2d: the mean is over padding, too

constexpr bool NUMBER_FIRST = false;  // zip_number.cu: the number is the left side
constexpr bool NORMAL = true;         // random.cu: normal numbers, or uniform ones
constexpr bool IGNORED = true;        // check_index.cu: some index stands for none
constexpr bool WEIGHT = true;  // standardise.cu and its kin: the parts of a layer
constexpr bool RUNNING = true;
constexpr bool AFFINE_OF_CELLS = false;
constexpr bool SUMS = true;
constexpr bool DECAY = true;  // sgd.cu, adam.cu: weight decay, momentum and so on
constexpr bool MOMENTUM = true;
constexpr bool FIRST = false;
constexpr bool NESTEROV = false;
constexpr bool DECOUPLED = false;
constexpr bool COUNTED = false;
using Result = float;          // cross_entropy.cu: element type of the losses
using Label = long long;       // the same of the labels
constexpr bool SMOOTH = true;  // cross_entropy.cu and its kin: the parts of a loss
constexpr bool MEAN = true;
constexpr bool EACH = false;
constexpr bool LOGARITHM = false;  // softmax.cu: the logarithm of the shares
constexpr bool CAUSAL = false;     // the same: each line sees one cell more
constexpr bool ADD = true;         // scatter.cu: add to the cell, or replace it

// arg_reduce.cu: is `a` the better extreme?
struct Better {
  __device__ bool operator()(Scalar a, Scalar b) const { return a > b; }
};

// map calls it with one element, zip and reduce with two.
struct Fn {
  __device__ Scalar operator()(Scalar x) const { return x > 0 ? x : 0; }
  __device__ Scalar operator()(Scalar a, Scalar b) const { return a + b; }
};
