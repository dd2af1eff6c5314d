// Opens a library with device code, uses it and closes it, twice; it has no CUDA code of its own.
#include <dlfcn.h>

#include <cstdio>

int main(int, char** argv) {
  for (int round = 0; round < 2; ++round) {
    void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::printf("%s\n", dlerror());
      return 1;
    }
    std::printf("%d\n", reinterpret_cast<int (*)()>(dlsym(library, "use"))());
    if (dlclose(library) != 0) return 2;
    if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != nullptr) return 3;  // it is gone
  }
  return 0;
}
