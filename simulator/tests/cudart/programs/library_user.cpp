#include <cstdio>

int number_from_device();

int main() {
  std::printf("%d\n", number_from_device());
}
