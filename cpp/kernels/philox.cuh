// The counter-based random numbers of kernels, the same as the host's
// (cpp/cpu/random.h): Philox 4x32-10 of Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3" (2011).
#pragma once

struct Words {
  unsigned int at[4];
};

__device__ inline Words philox(unsigned long long seed, unsigned long long counter) {
  unsigned int c0 = static_cast<unsigned int>(counter);
  unsigned int c1 = static_cast<unsigned int>(counter >> 32);
  unsigned int c2 = 0, c3 = 0;
  unsigned int key0 = static_cast<unsigned int>(seed);
  unsigned int key1 = static_cast<unsigned int>(seed >> 32);
#pragma unroll 1
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p0 = 0xD2511F53ull * c0;
    const unsigned long long p1 = 0xCD9E8D57ull * c2;
    c0 = static_cast<unsigned int>(p1 >> 32) ^ c1 ^ key0;
    c1 = static_cast<unsigned int>(p1);
    c2 = static_cast<unsigned int>(p0 >> 32) ^ c3 ^ key1;
    c3 = static_cast<unsigned int>(p0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

// The upper 53 of 64 bits as a fraction of 1.
__device__ inline double unit(unsigned int high, unsigned int low) {
  const unsigned long long bits =
      (static_cast<unsigned long long>(high) << 32 | low) >> 11;
  return static_cast<double>(bits) * 0x1.0p-53;
}

// Where in memory a random stream begins. Kernels of a captured graph are told it
// there, so that each replay draws other numbers.
struct Place {
  unsigned long long seed, first;
};

// Block `counter` of the stream `seed`; with a place, of its seed and counted from it.
__device__ inline Words philox_at(unsigned long long seed, unsigned long long counter,
                                  const Place* place) {
  if (place == nullptr) return philox(seed, counter);
  return philox(place->seed, place->first + counter);
}
