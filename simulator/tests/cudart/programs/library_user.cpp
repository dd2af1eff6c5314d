// A program without device code, linked with plugin.cu as a library.
#include <cstdio>

extern "C" int use();

int main() {
  std::printf("%d\n", use());
}
