// Products of small matrices by a warp: mma.sync, and wmma with its loads and stores. PTX ISA 9.1,
// 9.7.14.4 and 9.7.14.5.
//
// Sums are made in single precision, k after k; PTX leaves their order and rounding open.
#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "machine/isa/half.h"
#include "machine/isa/transfer.h"
#include "machine/isa/whole_warp.h"

namespace clcsim::machine::isa {
namespace {

// The form's constant, of a product.
enum : std::uint32_t {
  kColumnsOfA = 1,  ///< A lies in memory column by column
  kColumnsOfB = 2,
  kHalfC = 4,  ///< f16, not f32
  kHalfD = 8,
  kSignedA = 16,
  kSignedB = 32,
  kSaturates = 64,
};

constexpr std::uint32_t kMacsPerCycle = 512;  // of a quarter of an SM: H100's rate for f16
constexpr Time kProductLatency = 32;

// ---- elements: T::kEach of them lie in a register ----

template <class H>
struct HalfElement {
  using Sum = float;
  static constexpr int kEach = 2;
  static float get(std::uint32_t bits, int part, bool) {
    return static_cast<float>(widen_half<H>(bits >> 16 * part & 0xffff));
  }
};
struct Tf32Element {
  using Sum = float;
  static constexpr int kEach = 1;
  static float get(std::uint32_t bits, int, bool) {
    return std::bit_cast<float>(bits & ~0x1fffu);  // the low bits mean nothing
  }
};
struct ByteElement {
  using Sum = std::int32_t;
  static constexpr int kEach = 4;
  static std::int32_t get(std::uint32_t bits, int part, bool is_signed) {
    const auto byte = static_cast<std::uint8_t>(bits >> 8 * part);
    return is_signed ? static_cast<std::int8_t>(byte) : byte;
  }
};

// ---- fragments: which element of a matrix each part of each lane's registers is ----

template <int kRegisters, int kEach>
using Places = std::array<std::uint16_t, std::size_t{kRegisters} * kLanes * kEach>;

/// f(register, lane, part) is the element, row by row.
template <int kRegisters, int kEach, class F>
Places<kRegisters, kEach> places(F&& f) {
  Places<kRegisters, kEach> all;
  std::size_t next = 0;
  for (int reg = 0; reg < kRegisters; ++reg) {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int part = 0; part < kEach; ++part) {
        all[next++] = static_cast<std::uint16_t>(f(reg, lane, part));
      }
    }
  }
  return all;
}

// Of mma.sync: 9.7.14.5.6 to 9.7.14.5.10.
template <int kM, int kN, int kK, int kEach>
struct Fixed {
  static_assert(kM == 16 && kN == 8);
  static constexpr int kA = kM * kK / kEach / kLanes, kB = kK * kN / kEach / kLanes;
  static auto a(bool) {
    return places<kA, kEach>([](int reg, int lane, int part) {
      return (lane / 4 + reg % 2 * 8) * kK + reg / 2 * 4 * kEach + lane % 4 * kEach + part;
    });
  }
  static auto b(bool) {
    return places<kB, kEach>([](int reg, int lane, int part) {
      return (reg * 4 * kEach + lane % 4 * kEach + part) * kN + lane / 4;
    });
  }
  static int c(int index, int lane) {
    return (lane / 4 + index / 2 * 8) * kN + lane % 4 * 2 + index % 2;
  }
};

// Of wmma, which PTX leaves open: the matrix as it lies in memory, a register of each lane after
// the other; where there are more of them than it needs, it is there twice.
template <int kM, int kN, int kK, int kEach>
struct Free {
  static constexpr int kA = std::max(kM * kK / kEach / kLanes, 1);
  static constexpr int kB = std::max(kK * kN / kEach / kLanes, 1);
  template <int kRegisters, int kRows, int kColumns>
  static auto lying(bool columns) {
    return places<kRegisters, kEach>([columns](int reg, int lane, int part) {
      const int at = ((reg * kLanes + lane) * kEach + part) % (kRows * kColumns);
      return columns ? at % kRows * kColumns + at / kRows : at;
    });
  }
  static auto a(bool columns) { return lying<kA, kM, kK>(columns); }
  static auto b(bool columns) { return lying<kB, kK, kN>(columns); }
};
template <int kM, int kN, int kK, int kEach>
struct FreeOf16 : Free<kM, kN, kK, kEach> {  // f16's have always eight registers
  using Base = Free<kM, kN, kK, kEach>;
  static constexpr int kA = 8, kB = 8;
  static auto a(bool columns) { return Base::template lying<kA, kM, kK>(columns); }
  static auto b(bool columns) { return Base::template lying<kB, kK, kN>(columns); }
};

template <class T, int kM, int kN, int kK, class Fragments, bool kIsFixed>
Step multiply(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes, kIsFixed ? "mma" : "wmma")) return Step::moved;
  using Sum = typename T::Sum;
  constexpr int kElements = kM * kN / kLanes;  // of C and D, of a lane
  static const std::array kPlacesOfA = {Fragments::a(false), Fragments::a(true)};
  static const std::array kPlacesOfB = {Fragments::b(false), Fragments::b(true)};
  const auto place_of_c = [](int index, int lane, int each) {
    if constexpr (kIsFixed) return Fragments::c(index, lane);
    return (index / each * kLanes + lane) * each + index % each;
  };
  const ptx::Program& program = *warp.block->grid->launch.program;
  const std::uint32_t* entry = ptx::entries_of(program, in);
  constexpr int kA = Fragments::kA, kB = Fragments::kB;
  const std::uint32_t form = *program.forms[in.form]->extra;
  const int each_c = (form & kHalfC) != 0 ? 2 : 1, each_d = (form & kHalfD) != 0 ? 2 : 1;
  const std::uint32_t* const d = entry;
  const std::uint32_t* const a = d + kElements / each_d;
  const std::uint32_t* const b = a + kA;
  const std::uint32_t* const c = b + kB;

  Sum as[kM * kK], bs[kK * kN], sums[kM * kN];
  const auto gather = [&](const std::uint32_t* registers, const auto& places, bool is_signed,
                          Sum* to) {
    std::size_t next = 0;
    while (next < places.size()) {
      const auto* values = warp.lanes_of<std::uint32_t>(*registers++);
      for (int lane = 0; lane < kLanes; ++lane) {
        for (int part = 0; part < T::kEach; ++part) {
          to[places[next++]] = T::get(values[lane], part, is_signed);
        }
      }
    }
  };
  gather(a, kPlacesOfA[(form & kColumnsOfA) != 0], (form & kSignedA) != 0, as);
  gather(b, kPlacesOfB[(form & kColumnsOfB) != 0], (form & kSignedB) != 0, bs);
  for (int i = 0; i < kElements; ++i) {
    const auto* values = warp.lanes_of<std::uint32_t>(c[i / each_c]);
    for (int lane = 0; lane < kLanes; ++lane) {
      Sum& to = sums[place_of_c(i, lane, each_c)];
      to = each_c == 2 ? static_cast<Sum>(widen_half<F16>(values[lane] >> i % 2 * 16 & 0xffff))
                       : std::bit_cast<Sum>(values[lane]);
    }
  }
  if constexpr (std::is_integral_v<Sum>) {
    for (int i = 0; i < kM * kN; ++i) {
      std::int64_t sum = sums[i];
      for (int k = 0; k < kK; ++k) {
        sum += std::int64_t{as[i / kN * kK + k]} * bs[k * kN + i % kN];
      }
      if ((form & kSaturates) != 0) {
        sum = std::clamp<std::int64_t>(sum, std::numeric_limits<Sum>::min(),
                                       std::numeric_limits<Sum>::max());
      }
      sums[i] = static_cast<Sum>(sum);
    }
  } else {
    for (int m = 0; m < kM; ++m) {
      for (int k = 0; k < kK; ++k) {
        const Sum left = as[m * kK + k];
        for (int n = 0; n < kN; ++n) sums[m * kN + n] += left * bs[k * kN + n];
      }
    }
  }
  for (int i = 0; i < kElements; ++i) {
    auto* values = warp.lanes_of<std::uint32_t>(d[i / each_d]);
    for (int lane = 0; lane < kLanes; ++lane) {
      const Sum sum = sums[place_of_c(i, lane, each_d)];
      if (each_d == 1) {
        values[lane] = std::bit_cast<std::uint32_t>(sum);
        continue;
      }
      const std::uint32_t half = round_to_half<F16>(static_cast<double>(sum));
      values[lane] = i % 2 == 0 ? half : values[lane] | half << 16;
    }
  }
  warp.issued += std::max<Time>(kM * kN * kK / kMacsPerCycle, 1) - 1;
  warp.path().loads = std::max(warp.path().loads, warp.now + kProductLatency);
  return Step::next;
}

// ---- wmma.load, wmma.store ----

// The form's constant, of a load or store: what it moves.
struct Tile {
  std::uint32_t lines, run;       ///< the matrix in memory: so many lines of so many elements
  std::uint32_t registers, size;  ///< of an element: 2 or 4 bytes
  bool turned;                    ///< the fragment's elements follow one another across the lines
  Space space;

  std::uint32_t pack() const {
    return lines | run << 6 | registers << 12 | size << 16 | std::uint32_t{turned} << 20 |
           static_cast<std::uint32_t>(space) << 24;
  }
  explicit Tile(std::uint32_t packed)
      : lines(packed & 63),
        run(packed >> 6 & 63),
        registers(packed >> 12 & 15),
        size(packed >> 16 & 15),
        turned((packed >> 20 & 1) != 0),
        space(static_cast<Space>(packed >> 24)) {}
  Tile(std::uint32_t lines, std::uint32_t run, std::uint32_t registers, std::uint32_t size,
       bool turned, Space space)
      : lines(lines), run(run), registers(registers), size(size), turned(turned), space(space) {}
};

template <bool kStores>
Step move_tile(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes, kStores ? "wmma.store" : "wmma.load")) return Step::moved;
  const ptx::Program& program = *warp.block->grid->launch.program;
  const Tile tile(*program.forms[in.form]->extra);
  const std::uint32_t first = kStores ? 2 : 0;
  const std::uint32_t address = kStores ? 0 : tile.registers;
  const std::uint32_t given = in.operand[tile.registers + 2];
  const std::uint64_t stride =
      given == ptx::kAbsent ? tile.run : warp.lanes_of<std::uint32_t>(given)[0];
  std::uint64_t base = Addresses(warp, in, static_cast<int>(address))[0];
  Space space = tile.space;
  if (space == Space::generic) {
    space = space_of(base);
    if (space != Space::global) base %= kWindowSize;
  }
  const std::uint32_t each = 4 / tile.size, elements = tile.lines * tile.run;
  const std::uint32_t piece = tile.turned ? tile.size : 4;
  for (std::uint32_t reg = 0; reg < tile.registers; ++reg) {
    auto* registers = warp.lanes_of<std::uint32_t>(in.operand[first + reg]);
    for (std::uint32_t byte = 0; byte < 4; byte += piece) {
      std::uint64_t at[kLanes];
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t element = ((reg * kLanes + lane) * each + byte / tile.size) % elements;
        const std::uint32_t line = tile.turned ? element % tile.lines : element / tile.run;
        const std::uint32_t place = tile.turned ? element / tile.lines : element % tile.run;
        at[lane] = base + (line * stride + place) * tile.size;
      }
      announce_all(warp, in, kStores ? Access::Kind::write : Access::Kind::read, space, first + reg,
                   piece, at);
      for (int lane = 0; lane < kLanes; ++lane) {
        std::byte* const there = space == Space::shared
                                     ? bytes_at<Space::shared>(warp, at[lane], piece, lane)
                                     : bytes_at<Space::global>(warp, at[lane], piece, lane);
        std::byte* const here = reinterpret_cast<std::byte*>(registers + lane) + byte;
        std::memcpy(kStores ? there : here, kStores ? here : there, piece);
      }
    }
  }
  const Time done = charge(warp, space == Space::global, std::uint64_t{elements} * tile.size);
  if constexpr (kStores) {
    warp.gpu->progress(warp.now);
  } else {
    warp.path().loads = std::max(warp.path().loads, done);
  }
  return Step::next;
}

// ---- the table ----

void add_move(FormTable& table, const std::string& matrix, const std::string& shape,
              const std::string& type, const std::string& layout, Tile tile) {
  const std::string registers = "r" + std::to_string(tile.registers);
  for (const Space space : {Space::generic, Space::shared, Space::global}) {
    tile.space = space;
    const char* named = space == Space::generic  ? "."
                        : space == Space::shared ? ".shared."
                                                 : ".global.";
    const std::string rest = matrix + ".sync.aligned." + layout + "." + shape + named + type;
    if (matrix == "d") {
      table.add({.name = "wmma.store." + rest,
                 .signature = "a " + registers + " r?",
                 .execute = move_tile<true>,
                 .unit = Unit::memory,
                 .facts = {Action::store, space},
                 .extra = tile.pack()});
    } else {
      table.add({.name = "wmma.load." + rest,
                 .signature = "=" + registers + " a r?",
                 .execute = move_tile<false>,
                 .unit = Unit::memory,
                 .facts = {Action::load, space},
                 .extra = tile.pack(),
                 .loads = true});
    }
  }
}

std::string registers_of(int d, int a, int b, int c) {
  const auto number = [](int count) { return "r" + std::to_string(count); };
  return "=" + number(d) + " " + number(a) + " " + number(b) + " " + number(c);
}

template <class T, int kM, int kN, int kK, class Fragments, bool kIsFixed>
void add_multiply(FormTable& table, const std::string& name, std::uint32_t extra) {
  constexpr int kElements = kM * kN / kLanes;
  const auto registers = [&](std::uint32_t half) {
    return (extra & half) != 0 ? kElements / 2 : kElements;
  };
  table.add({.name = name,
             .signature =
                 registers_of(registers(kHalfD), Fragments::kA, Fragments::kB, registers(kHalfC)),
             .execute = multiply<T, kM, kN, kK, Fragments, kIsFixed>,
             .unit = Unit::half_rate,
             .facts = {Action::compute},
             .extra = extra,
             .loads = true});
}

template <class T, int kK>
void add_mma(FormTable& table, const std::string& types, std::uint32_t extra = 0) {
  add_multiply<T, 16, 8, kK, Fixed<16, 8, kK, T::kEach>, true>(
      table, "mma.sync.aligned.m16n8k" + std::to_string(kK) + ".row.col." + types, extra);
}

/// Of a shape whose k is 16.
template <int kM, int kN>
void add_wmma(FormTable& table) {
  constexpr int kK = 16;
  const std::string shape = "m" + std::to_string(kM) + "n" + std::to_string(kN) + "k16";
  using OfF16 = FreeOf16<kM, kN, kK, 2>;
  using OfBf16 = Free<kM, kN, kK, 2>;
  const auto name_of = [](bool columns) { return std::string(columns ? "col" : "row"); };
  for (const bool columns : {false, true}) {
    const auto move = [&](const char* matrix, const char* type, int rows, int width, int registers,
                          std::uint32_t size, bool turned) {
      if (columns) std::swap(rows, width);
      add_move(table, matrix, shape, type, name_of(columns),
               Tile(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(width),
                    static_cast<std::uint32_t>(registers), size, turned, Space::generic));
    };
    move("a", "f16", kM, kK, OfF16::kA, 2, false);
    move("b", "f16", kK, kN, OfF16::kB, 2, false);
    move("a", "bf16", kM, kK, OfBf16::kA, 2, false);
    move("b", "bf16", kK, kN, OfBf16::kB, 2, false);
    for (const char* matrix : {"c", "d"}) {
      move(matrix, "f32", kM, kN, kM * kN / kLanes, 4, columns);
      move(matrix, "f16", kM, kN, kM * kN / kLanes / 2, 2, columns);
    }
    for (const bool columns_of_b : {false, true}) {
      const std::uint32_t layouts = columns * kColumnsOfA | columns_of_b * kColumnsOfB;
      const std::string head = "wmma.mma.sync.aligned." + name_of(columns) + "." +
                               name_of(columns_of_b) + "." + shape + ".";
      for (std::uint32_t half = 0; half < kSignedA; half += kHalfC) {
        add_multiply<HalfElement<F16>, kM, kN, kK, OfF16, false>(
            table,
            head + ((half & kHalfD) != 0 ? "f16." : "f32.") +
                ((half & kHalfC) != 0 ? "f16" : "f32"),
            layouts | half);
      }
      add_multiply<HalfElement<Bf16>, kM, kN, kK, OfBf16, false>(table, head + "f32.bf16.bf16.f32",
                                                                 layouts);
    }
  }
}

}  // namespace

void add_product(FormTable& table) {
  add_mma<HalfElement<F16>, 8>(table, "f32.f16.f16.f32");
  add_mma<HalfElement<F16>, 16>(table, "f32.f16.f16.f32");
  add_mma<HalfElement<F16>, 8>(table, "f16.f16.f16.f16", kHalfC | kHalfD);
  add_mma<HalfElement<F16>, 16>(table, "f16.f16.f16.f16", kHalfC | kHalfD);
  add_mma<HalfElement<Bf16>, 8>(table, "f32.bf16.bf16.f32");
  add_mma<HalfElement<Bf16>, 16>(table, "f32.bf16.bf16.f32");
  add_mma<Tf32Element, 4>(table, "f32.tf32.tf32.f32");
  add_mma<Tf32Element, 8>(table, "f32.tf32.tf32.f32");
  for (std::uint32_t form = 0; form < 2 * kSaturates; form += kSignedA) {
    const std::string types = std::string((form & kSaturates) != 0 ? "satfinite." : "") + "s32." +
                              ((form & kSignedA) != 0 ? "s8." : "u8.") +
                              ((form & kSignedB) != 0 ? "s8." : "u8.") + "s32";
    add_mma<ByteElement, 16>(table, types, form);
    add_mma<ByteElement, 32>(table, types, form);
  }
  add_wmma<16, 16>(table);
  add_wmma<8, 32>(table);
  add_wmma<32, 8>(table);
}

}  // namespace clcsim::machine::isa
