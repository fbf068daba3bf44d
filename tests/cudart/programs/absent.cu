// A function that our runtime library does not offer.
#include "check.h"

int main() {
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, nullptr, nullptr, nullptr) ==
         cudaErrorNotSupported);
  EXPECT(cudaCreateTextureObject(&texture, nullptr, nullptr, nullptr) ==
         cudaErrorNotSupported);
  cudaGetLastError();
  std::puts("went on");
}
