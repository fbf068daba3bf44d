// A linked list in managed memory, managed variables, and what pointers point to.
#include "check.h"

struct Node {
  int value;
  Node* next;
};

__managed__ int total;
__managed__ int squares[4];

__global__ void walk(const Node* node) {
  for (; node != nullptr; node = node->next) total += node->value;
  for (int i = 0; i < 4; ++i) squares[i] *= squares[i];
}

int main() {
  total = 5;
  for (int i = 0; i < 4; ++i) squares[i] = i;
  Node* first = nullptr;
  for (int i = 1; i <= 10; ++i) {
    Node* node;
    CHECK(cudaMallocManaged(&node, sizeof(Node)));  // fault: memory_not_freed
    *node = {i, first};
    first = node;
  }
  walk<<<1, 1>>>(first);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  EXPECT(total == 60 && squares[3] == 9);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, first));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  int own = 0;
  CHECK(cudaPointerGetAttributes(&attributes, &own));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);
#ifdef FAULT
  first = first->next;
#endif
  while (first != nullptr) {
    Node* const next = first->next;
    CHECK(cudaFree(first));
    first = next;
  }
  std::puts("right");
}
