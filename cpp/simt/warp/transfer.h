// The movement of elements between register rows and host memory, by pattern. For
// the isa_*.cpp sources only. All checks have been made; must not know memory spaces.
//
// The host address of a lane's element is its address plus `delta` (modulo 2^64).
#pragma once

#include <cstring>

#include "simt/warp/pattern.h"

namespace minitorch::simt::MINITORCH_ISA {
namespace {

// Elements are read and written with any alignment and type.
template <class M>
struct Element {
  typedef M __attribute__((may_alias)) type;
};
template <class M>
using Cell = typename Element<M>::type;

template <uint32_t kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = uint64_t;
};

// The rows of a vector: destinations d, d2, b, c; sources b, c, d, d2.
template <class M, uint32_t kVector>
struct Rows {
  Row<M>* at[4];
  [[gnu::always_inline]] static Rows loaded(const LaneState& state, const Step* step) {
    return {{row<M>(state, step->d), row<M>(state, step->d2), row<M>(state, step->b),
             row<M>(state, step->c)}};
  }
  [[gnu::always_inline]] static Rows stored(const LaneState& state, const Step* step) {
    return {{row<M>(state, step->b), row<M>(state, step->c), row<M>(state, step->d),
             row<M>(state, step->d2)}};
  }
};

template <class M, uint32_t kVector, class A>
[[gnu::noinline]] void load_each(uint32_t mask, const AddressRow<A>* address,
                                 uint64_t delta, Rows<M, kVector> rows) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const auto* from = reinterpret_cast<const Cell<M>*>(address[i] + delta);
    for (uint32_t v = 0; v < kVector; ++v) rows.at[v][i] = from[v];
  }
}

#if defined(__AVX512F__) && defined(__AVX512VL__)
// The executing lanes of one half-warp; the others' memory is not touched.
[[gnu::always_inline]] inline void load_masked(Row<uint32_t>* to, uint64_t from,
                                               uint32_t mask) {
  const __mmask16 lanes = static_cast<__mmask16>(mask);
  const __m512i loaded = _mm512_mask_loadu_epi32(_mm512_load_si512(to), lanes,
                                                 reinterpret_cast<void*>(from));
  _mm512_store_si512(to, loaded);
}
[[gnu::always_inline]] inline void store_masked(const Row<uint32_t>* from, uint64_t to,
                                                uint32_t mask) {
  _mm512_mask_storeu_epi32(reinterpret_cast<void*>(to), static_cast<__mmask16>(mask),
                           _mm512_load_si512(from));
}
inline constexpr bool kMasksMemory = true;

// Every second (stride 8) or fourth (stride 16) word of a half-warp. Whole vectors are
// read, but nothing behind the last lane's word.
[[gnu::always_inline]] inline __m512i words_apart(uint64_t from, uint32_t stride) {
  const auto* at = reinterpret_cast<const uint32_t*>(from);
  if (stride == 8) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(_mm512_loadu_si512(at), even,
                                     _mm512_maskz_loadu_epi32(0x7fff, at + 16));
  }
  const __m512i fourth =
      _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
  const __m512i low = _mm512_permutex2var_epi32(_mm512_loadu_si512(at), fourth,
                                                _mm512_loadu_si512(at + 16));
  const __m512i high = _mm512_permutex2var_epi32(
      _mm512_loadu_si512(at + 32), fourth, _mm512_maskz_loadu_epi32(0x1fff, at + 48));
  return _mm512_mask_blend_epi32(0xff00, low, high);
}
[[gnu::always_inline]] inline void load_apart(Row<uint32_t>* to, uint64_t low,
                                              uint64_t high, uint32_t stride) {
  const __m512i first = words_apart(low, stride);
  const __m512i second = low == high ? first : words_apart(high, stride);
  _mm512_store_si512(to, first);
  _mm512_store_si512(to + 16, second);
}
#else
inline void load_apart(Row<uint32_t>*, uint64_t, uint64_t, uint32_t) {}
inline void load_masked(Row<uint32_t>*, uint64_t, uint32_t) {}
inline void store_masked(const Row<uint32_t>*, uint64_t, uint32_t) {}
inline constexpr bool kMasksMemory = false;
#endif

template <class M, uint32_t kVector, class A>
[[gnu::always_inline]] inline void load_all(const AddressRow<A>* address,
                                            uint64_t delta, Rows<M, kVector> rows) {
  alignas(64) Row<M> values[kVector][kLanes];  // the address row may be a destination
  for (uint32_t i = 0; i < kLanes; ++i) {
    const auto* from = reinterpret_cast<const Cell<M>*>(address[i] + delta);
    for (uint32_t v = 0; v < kVector; ++v) values[v][i] = from[v];
  }
  for (uint32_t v = 0; v < kVector; ++v) {
    std::memcpy(rows.at[v], values[v], sizeof values[v]);
  }
}

template <class M, uint32_t kVector, bool kFull, class A>
[[gnu::always_inline]] inline void load_lanes(const LaneState& state,
                                              const Pattern& pattern,
                                              const AddressRow<A>* address,
                                              uint64_t delta, Rows<M, kVector> rows) {
  if constexpr (!kFull) {
    if (kMasksMemory && sizeof(M) == 4 && kVector == 1 && pattern.strided &&
        pattern.stride == 4) {
      auto* const to = reinterpret_cast<Row<uint32_t>*>(rows.at[0]);
      load_masked(to, pattern.base[0] + delta, state.mask);
      load_masked(to + 16, pattern.base[1] + delta, state.mask >> 16);
      return;
    }
    load_each<M, kVector, A>(state.mask, address, delta, rows);
    return;
  }
  if (pattern.strided) {
    const auto* low = reinterpret_cast<const Cell<M>*>(pattern.base[0] + delta);
    const auto* high = reinterpret_cast<const Cell<M>*>(pattern.base[1] + delta);
    if (pattern.stride == 0) {
      for (uint32_t v = 0; v < kVector; ++v) {
        const Row<M> a = low[v], b = high[v];
        for (uint32_t i = 0; i < 16; ++i) rows.at[v][i] = a;
        for (uint32_t i = 16; i < 32; ++i) rows.at[v][i] = b;
      }
      return;
    }
    if (pattern.stride == sizeof(M) * kVector) {
      if constexpr (kVector == 1 && sizeof(M) >= 4) {
        std::memcpy(rows.at[0], low, 16 * sizeof(M));
        std::memcpy(rows.at[0] + 16, high, 16 * sizeof(M));
      } else {
        for (uint32_t v = 0; v < kVector; ++v) {
          for (uint32_t i = 0; i < 16; ++i) rows.at[v][i] = low[i * kVector + v];
          for (uint32_t i = 0; i < 16; ++i) rows.at[v][16 + i] = high[i * kVector + v];
        }
      }
      return;
    }
    if (kMasksMemory && sizeof(M) == 4 && kVector == 1 &&
        (pattern.stride == 8 || pattern.stride == 16)) {
      auto* const to = reinterpret_cast<Row<uint32_t>*>(rows.at[0]);
      return load_apart(to, pattern.base[0] + delta, pattern.base[1] + delta,
                        pattern.stride);
    }
  }
  load_all<M, kVector, A>(address, delta, rows);
}

template <class M, uint32_t kVector, class A>
[[gnu::noinline]] void store_each(uint32_t mask, const AddressRow<A>* address,
                                  uint64_t delta, Rows<M, kVector> rows) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const uint32_t i = first_lane(left);
    auto* to = reinterpret_cast<Cell<M>*>(address[i] + delta);
    for (uint32_t v = 0; v < kVector; ++v) to[v] = static_cast<M>(rows.at[v][i]);
  }
}

template <class M, uint32_t kVector, bool kFull, class A>
[[gnu::always_inline]] inline void store_lanes(const LaneState& state,
                                               const Pattern& pattern,
                                               const AddressRow<A>* address,
                                               uint64_t delta, Rows<M, kVector> rows) {
  if (kFull && pattern.strided && pattern.stride == sizeof(M) * kVector) {
    auto* low = reinterpret_cast<Cell<M>*>(pattern.base[0] + delta);
    auto* high = reinterpret_cast<Cell<M>*>(pattern.base[1] + delta);
    if constexpr (kVector == 1 && sizeof(M) >= 4) {
      std::memcpy(low, rows.at[0], 16 * sizeof(M));
      std::memcpy(high, rows.at[0] + 16, 16 * sizeof(M));
    } else {
      for (uint32_t i = 0; i < 16; ++i) {
        for (uint32_t v = 0; v < kVector; ++v) {
          low[i * kVector + v] = static_cast<M>(rows.at[v][i]);
        }
      }
      for (uint32_t i = 0; i < 16; ++i) {
        for (uint32_t v = 0; v < kVector; ++v) {
          high[i * kVector + v] = static_cast<M>(rows.at[v][16 + i]);
        }
      }
    }
    return;
  }
  if (!kFull && kMasksMemory && sizeof(M) == 4 && kVector == 1 && pattern.strided &&
      pattern.stride == 4) {
    const auto* const from = reinterpret_cast<const Row<uint32_t>*>(rows.at[0]);
    store_masked(from, pattern.base[0] + delta, state.mask);
    store_masked(from + 16, pattern.base[1] + delta, state.mask >> 16);
    return;
  }
  store_each<M, kVector, A>(state.mask, address, delta, rows);
}

}  // namespace
}  // namespace minitorch::simt::MINITORCH_ISA
