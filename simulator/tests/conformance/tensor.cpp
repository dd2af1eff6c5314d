// Cases for copies of boxes of a tensor, inside it and across its edges, and for bulk copies to
// several blocks. A warp in each block; shared memory is a pattern before, and a result afterwards.
#include "conformance/kernel.h"

namespace clcsim::conformance {
namespace {

constexpr std::uint32_t kTileBytes = 2048, kPlace = 128;  // of a box in the tile

struct Setting {
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint32_t> box;
  std::vector<int> at;
  unsigned swizzle = 0;
};

// Rows have room behind them; a load may begin before the tensor, a store may not.
std::vector<Setting> settings_of(int rank, bool stores) {
  switch (rank) {
    case 1:
      return {{{100}, {32}, {96}}, {{100}, {32}, {stores ? 4 : -4}}};
    case 2:
      return {{{50, 37}, {32, 8}, {4, 3}},
              {{50, 37}, {32, 8}, {32, 33}},
              {{50, 37}, {32, 8}, {24, 5}, 3},
              {{50, 37}, {16, 12}, {40, 30}, 2},
              {{50, 37}, {8, 16}, {12, 7}, 1},
              {{50, 37}, {32, 8}, {64, 0}},
              {{50, 37}, {32, 8}, {stores ? 8 : -8, stores ? 2 : -2}, 3}};
    case 3:
      return {{{20, 7, 5}, {8, 4, 3}, {16, stores ? 1 : -1, 3}}};
    case 4:
      return {{{20, 7, 5, 3}, {8, 4, 3, 2}, {stores ? 4 : -4, 5, 2, 2}}};
    default:
      return {{{20, 7, 5, 3, 4}, {8, 2, 3, 2, 2}, {12, 6, 3, stores ? 1 : -1, 3}}};
  }
}

std::string braces(const std::vector<int>& at) {
  std::string text;
  for (const int x : at) text += (text.empty() ? "{" : ", ") + std::to_string(x);
  return text + "}";
}

/// What all of these kernels begin and end with.
struct Tile {
  Tile(Kernel& kernel, std::uint32_t bytes) : kernel(kernel) {
    kernel.declare(".shared .align 1024 .b8 tile[" + std::to_string(kTileBytes) + "]");
    kernel.declare(".shared .align 8 .b64 barrier");
    kernel.declare(".reg .pred %leader, %done");
    tile = kernel.fresh("b32"), barrier = kernel.fresh("b32"), own = kernel.fresh("b32");
    kernel.line("mov.u32 " + tile + ", tile");
    kernel.line("mov.u32 " + barrier + ", barrier");
    kernel.line("mad.lo.u32 " + own + ", %lane, 8, " + tile);
    kernel.line("setp.eq.u32 %leader, %lane, 0");
    const std::string pattern = kernel.preset("b64");
    for (std::uint32_t at = 0; at < kTileBytes; at += 256) {
      kernel.line("st.shared.b64 [" + own + "+" + std::to_string(at) + "], " + pattern);
    }
    kernel.line("fence.proxy.async");
    kernel.line("@%leader mbarrier.init.shared.b64 [" + barrier + "], 1");
    kernel.line("fence.mbarrier_init.release.cluster");
    kernel.line("bar.sync 0");
    kernel.line("@%leader mbarrier.arrive.expect_tx.shared.b64 _, [" + barrier + "], " +
                std::to_string(bytes));
    kernel.line("barrier.cluster.arrive");
    kernel.line("barrier.cluster.wait");
  }
  void wait() {
    kernel.label("WAIT");
    kernel.line("mbarrier.try_wait.parity.shared.b64 %done, [" + barrier + "], 0");
    kernel.line("@!%done bra WAIT");
  }
  void results() {
    for (std::uint32_t at = 0; at < kTileBytes; at += 256) {
      const std::string word = kernel.fresh("b64");
      kernel.line("ld.shared.b64 " + word + ", [" + own + "+" + std::to_string(at) + "]");
      kernel.result("b64", word);
    }
  }
  std::string place() const { return "[" + tile + "+" + std::to_string(kPlace) + "]"; }
  Kernel& kernel;
  std::string tile, barrier, own;
};

}  // namespace

void add_tensor_cases(std::vector<Case>& cases, const ptx::Form& form) {
  const bool multicast = form.name.ends_with("multicast::cluster");
  const bool stores = form.name.ends_with("bulk_group");
  const std::vector<std::string> parts = parts_of(form.name);
  const bool boxes = parts[3] == "tensor";
  std::string name = form.name;  // ptxas 13.0 wants ::cta here
  const std::size_t shared = name.find(".shared.");
  if (shared != name.npos) name.replace(shared, 8, ".shared::cta.");
  for (const Setting& of : boxes ? settings_of(parts[4][0] - '0', stores) : settings_of(1, false)) {
    for (const std::uint32_t blocks : {1, 2, 4}) {
      if (multicast ? blocks == 1 : blocks != 1) continue;
      std::uint32_t bytes = 4;
      for (const std::uint32_t elements : of.box) bytes *= elements;
      Kernel kernel(cases, form, "tensor",
                    braces(of.at) + " swizzle " + std::to_string(of.swizzle) + " blocks " +
                        std::to_string(blocks));
      kernel.details().block = {32, 1, 1};
      kernel.details().grid = {blocks, 1, 1};
      kernel.details().cluster = blocks;
      Tensor tensor{.in_results = stores, .sizes = of.sizes, .box = of.box, .swizzle = of.swizzle};
      std::uint64_t stride = (of.sizes[0] * 4 + 31) / 16 * 16;
      for (std::size_t k = 1; k < of.sizes.size(); ++k) {
        tensor.strides.push_back(stride);
        stride *= of.sizes[k];
      }
      tensor.strides.resize(4);  // the driver wants some at rank 1, too, where it uses none
      const auto rows =
          static_cast<std::uint32_t>((stride + 8 * kernel.count() - 1) / (8 * kernel.count()));
      tensor.offset = stores ? kernel.memory_results(rows) : kernel.memory_operands(rows);
      const std::string from = kernel.fresh("b64"), map = kernel.fresh("b64");
      kernel.line("add.u64 " + from + ", %inputs, " + std::to_string(tensor.offset));
      if (boxes) {
        kernel.details().tensor = tensor;
        kernel.details().parameter.resize(128);
        kernel.line("mov.u64 " + map + ", blob");
        kernel.line("cvta.param.u64 " + map + ", " + map);
      }
      Tile tile(kernel, bytes);
      const std::string box = "[" + map + ", " + braces(of.at) + "]";
      if (stores) {
        for (std::uint32_t at = 0; at < bytes; at += 256) {
          kernel.line("st.shared.b64 [" + tile.own + "+" + std::to_string(kPlace + at) + "], " +
                      kernel.operand("b64"));
        }
        kernel.line("fence.proxy.async");
        kernel.line("bar.sync 0");
        kernel.line("@%leader " + name + " " + box + ", " + tile.place());
        kernel.line("cp.async.bulk.commit_group");
        kernel.line("cp.async.bulk.wait_group 0");
        continue;
      }
      // With a multicast the first block copies for the others.
      const std::string both = kernel.fresh("b16"), rank = kernel.fresh("b32");
      kernel.line("mov.u32 " + rank + ", %cluster_ctarank");
      kernel.line("setp.eq.and.u32 %leader, " + rank + ", 0, %leader");
      kernel.line("mov.b16 " + both + ", " + std::to_string(multicast ? (1 << blocks) - 1 : 0));
      kernel.line("@%leader " + name + " " + tile.place() + ", " +
                  (boxes ? box : "[" + from + "], " + std::to_string(bytes)) + ", [" +
                  tile.barrier + "]" + (multicast ? ", " + both : ""));
      tile.wait();
      tile.results();
      kernel.line("barrier.cluster.arrive");
      kernel.line("barrier.cluster.wait");
    }
  }
}

}  // namespace clcsim::conformance
