struct Item { int value; Item *next; };
extern "C" __global__ void k(int *out, int n) {
  Item *head = nullptr;
  for (int i = 0; i < n; ++i) {
    Item *item = (Item *)malloc(sizeof(Item));
    if (!item) return;
    item->value = i * (threadIdx.x + 1);
    item->next = head;
    head = item;
  }
  int sum = 0;
  while (head) { Item *next = head->next; sum += head->value; free(head); head = next; }
  out[threadIdx.x] = sum;
}
