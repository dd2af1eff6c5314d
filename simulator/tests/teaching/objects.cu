// Objects on the device: virtual functions, functions through pointers, new and delete, malloc and
// free, and a heap that is used up.
#include <cstring>

#include "verify.h"

namespace {

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual long long area(int scale) const = 0;
};

struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ long long area(int scale) const override { return 1ll * side * side * scale; }
};

struct Frame : Shape {  // calls another virtual function from its own
  Shape* inner;
  int border;
  __device__ Frame(Shape* i, int b) : inner(i), border(b) {}
  __device__ ~Frame() override { delete inner; }
  __device__ long long area(int scale) const override;
};

__device__ long long Frame::area(int scale) const {
  const auto* square = static_cast<const Square*>(inner);
  return square->Square::area(scale) + border;
}

__global__ void shapes(long long* out) {
  const int i = static_cast<int>(threadIdx.x);
  Shape* shape = new Square(i);
  if (i % 3 == 0) shape = new Frame(shape, 1000);
  out[i] = shape->area(i % 5);
  delete shape;
}

struct Pair {
  double first;
  int second;
};
using Function = Pair (*)(float, Pair);
__device__ Pair plus(float x, Pair by) {
  return {by.first + x, by.second + 1};
}
__device__ Pair times(float x, Pair by) {
  return {by.first * x, by.second + 2};
}
__device__ Function functions[2] = {plus, times};

__global__ void pointers(Pair* out, int first) {
  const int i = static_cast<int>(threadIdx.x);
  Function function = functions[(i + first) % 2];  // each lane its own
  Pair pair{i * 0.5, i};
  for (int round = 0; round < 3; ++round) pair = function(static_cast<float>(i), pair);
  out[i] = pair;
}

__global__ void lists(int* out) {
  struct Node {
    Node* next;
    int value;
  };
  Node* head = nullptr;
  for (int i = 0; i < 10; ++i) {
    auto* node = static_cast<Node*>(malloc(sizeof(Node)));
    *node = {head, i * static_cast<int>(threadIdx.x)};
    head = node;
  }
  int sum = 0;
  while (head != nullptr) {
    sum += head->value;
    Node* const next = head->next;
    free(head);
    head = next;
  }
  out[threadIdx.x] = sum;
  free(nullptr);
}

__global__ void greedy(int* out) {
  char* piece = static_cast<char*>(malloc(1 << 20));
  if (piece != nullptr) memset(piece, 1, 1 << 10);
  out[threadIdx.x] = piece != nullptr;
}

}  // namespace

int main() {
  verify::must("cudaDeviceSetLimit", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  auto* areas = verify::shared<long long>(96);
  shapes<<<1, 96>>>(areas);
  verify::finish("shapes");
  bool right = true;
  for (int i = 0; i < 96; ++i) {
    right &= areas[i] == 1ll * i * i * (i % 5) + (i % 3 == 0 ? 1000 : 0);
  }
  verify::check("virtual functions, new and delete", right);

  auto* pairs = verify::shared<Pair>(64);
  pointers<<<1, 64>>>(pairs, 1);
  verify::finish("pointers");
  right = true;
  for (int i = 0; i < 64; ++i) {
    const bool adds = (i + 1) % 2 == 0;
    double expected = i * 0.5;
    for (int round = 0; round < 3; ++round) expected = adds ? expected + i : expected * i;
    right &= pairs[i].first == expected && pairs[i].second == i + (adds ? 3 : 6);
  }
  verify::check("functions through pointers", right);

  auto* sums = verify::shared<int>(64);
  lists<<<1, 64>>>(sums);
  verify::finish("lists");
  right = true;
  for (int i = 0; i < 64; ++i) right &= sums[i] == 45 * i;
  verify::check("malloc and free", right);

  auto* got = verify::shared<int>(64);
  greedy<<<1, 64>>>(got);
  verify::finish("greedy");
  int pieces = 0;
  for (int i = 0; i < 64; ++i) pieces += got[i];
  verify::check("a heap of 16 MiB gives less than 17 pieces of 1 MiB", pieces > 0 && pieces < 17);
  return verify::verdict();
}
