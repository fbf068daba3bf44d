// The bits of integers and numbers, as cuda.popc and its kin see them; the width
// of the argument counts: clz of an int8 is at most 8.
#pragma once

namespace py {

template <int Bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using type = unsigned char;
};
template <>
struct WordOf<2> {
  using type = unsigned short;
};
template <>
struct WordOf<4> {
  using type = unsigned;
};
template <>
struct WordOf<8> {
  using type = unsigned long long;
};

// The unsigned integer as wide as T.
template <class T>
using Word = typename WordOf<sizeof(T)>::type;

// T, where a template's argument should follow from the others alone.
template <class T>
struct SameAs {
  using type = T;
};
template <class T>
using Same = typename SameAs<T>::type;

// The same bits as another type of the same width.
template <class To, class From>
__device__ inline To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From), "the widths differ");
  To result;
  memcpy(&result, &value, sizeof(To));
  return result;
}

template <class T>
__device__ inline T popc(T value) {
  return static_cast<T>(__popcll(static_cast<Word<T>>(value)));
}

// 8 * sizeof(T) for zero.
template <class T>
__device__ inline T clz(T value) {
  const int unused = 64 - 8 * static_cast<int>(sizeof(T));
  return static_cast<T>(__clzll(static_cast<Word<T>>(value)) - unused);
}

// From 1; 0 if no bit is set.
template <class T>
__device__ inline unsigned ffs(T value) {
  return static_cast<unsigned>(__ffsll(static_cast<Word<T>>(value)));
}

__device__ inline unsigned brev(unsigned value) { return __brev(value); }
__device__ inline unsigned long long brev(unsigned long long value) {
  return __brevll(value);
}

}  // namespace py
