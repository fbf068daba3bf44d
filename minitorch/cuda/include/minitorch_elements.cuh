// What the expressions of ElementwiseKernel and ReductionKernel may name beside
// their parameters: _ind, and raw arrays.
#pragma once

// How many elements there are, and where in the shape one of them is.
template <int N>
class Indexer {
 public:
  __device__ Indexer(long long size, const long long* sizes)
      : size_(size), sizes_(sizes) {}
  __device__ long long size() const { return size_; }
  __device__ const long long* shape() const { return sizes_; }
  /// The index of the element given to `set`, one number for each dimension.
  __device__ const long long* get() const { return index_; }
  __device__ void set(long long i) {
    for (int d = N - 1; d >= 0; --d) {
      index_[d] = i % sizes_[d];
      i /= sizes_[d];
    }
  }

 private:
  long long size_;
  const long long* sizes_;
  long long index_[N];
};

// An array of N dimensions that is indexed by the user; Flat: without gaps, row by row.
template <class T, int N, bool Flat>
class RawArray {
 public:
  static constexpr int ndim = N;
  __device__ RawArray(T* data, const long long* sizes, const long long* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}

  __device__ long long size() const {
    long long product = 1;
    for (int d = 0; d < N; ++d) product *= sizes_[d];
    return product;
  }
  __device__ const long long* shape() const { return sizes_; }
  __device__ const long long* strides() const { return strides_; }  // in bytes

  /// Element `i` in row order.
  __device__ T& operator[](long long i) const {
    if (Flat) return data_[i];
    long long at = 0;
    for (int d = N - 1; d > 0; --d) {
      at += i % sizes_[d] * strides_[d];
      i /= sizes_[d];
    }
    return element(at + i * strides_[0]);
  }
  /// The element with an index for each dimension.
  template <class Int>
  __device__ T& operator[](const Int (&index)[N]) const {
    long long at = 0;
    for (int d = 0; d < N; ++d) at += index[d] * strides_[d];
    return element(at);
  }

 private:
  __device__ T& element(long long bytes) const {
    return data_[bytes / static_cast<long long>(sizeof(T))];
  }

  T* data_;
  const long long* sizes_;
  const long long* strides_;
};

// Room for values of any type in shared memory, which runs no constructors.
template <class T, int Count>
struct SharedRoom {
  alignas(T) unsigned char bytes[Count * sizeof(T)];
  __device__ T* data() { return reinterpret_cast<T*>(bytes); }
};
