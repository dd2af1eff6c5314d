#include "exercises/drawn_gpu.h"

#include "performer.h"

namespace clcsim::exercises {

DrawnGpu draw_gpu(std::uint64_t seed) {
  clc::set_seed(seed);
  const int sms = clc::draw(1, 6), blocks = clc::draw(3, 7), interval = clc::draw(0, 1000);
  std::string text = "like mini\nblock_interval " + std::to_string(interval) + '\n';
  if (seed % 3 == 1) {
    text +=
        "sms 1\nthreads_per_sm 4096\nblocks_per_sm 64\nshared_per_block_optin 49152\n"
        "shared_per_sm 50176\n";
  } else {
    text += "sms " + std::to_string(sms) + "\nblocks_per_sm " + std::to_string(blocks) + '\n';
  }
  return {text, clc::draw(2, 6)};
}

}  // namespace clcsim::exercises
