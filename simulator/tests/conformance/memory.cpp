// Cases for ld and st in every state space, and for what computes with addresses: cvta isspacep
// mapa getctarank prefetch.

#include "conformance/kernel.h"

namespace clcsim::conformance {
namespace {

using std::uint32_t;
using std::uint64_t;

constexpr uint32_t kAccessed = 32;  ///< bytes that each thread loads from or stores to

/// "ld.global.v4.f32", taken apart. The space is "" for generic addresses.
struct Access {
  std::string space;
  uint32_t count = 1;
  std::string type;
  uint32_t size() const { return count * static_cast<uint32_t>(bits_of_type(type)) / 8; }
};

Access access_of(const ptx::Form& form) {
  const std::vector<std::string> parts = parts_of(form.name);
  Access access;
  access.type = parts.back();
  for (std::size_t k = 1; k + 1 < parts.size(); ++k) {
    if (parts[k][0] == 'v') {
      access.count = static_cast<uint32_t>(std::stoi(parts[k].substr(1)));
    } else {
      access.space = parts[k];
    }
  }
  return access;
}

/// The instruction as PTX spells it: the decoder tells two kinds of parameters apart.
std::string spelling(const std::string& form) {
  const std::size_t at =
      form.find("::entry") != form.npos ? form.find("::entry") : form.find("::func");
  return at == form.npos ? form : form.substr(0, at) + form.substr(form.find('.', at));
}

/// Registers that may hold a value of the type: of its own width, and wider ones.
std::vector<std::string> register_types(const Access& access) {
  if (access.type[0] == 'f' || access.type == "b128") return {access.type};
  std::vector<std::string> types;
  for (const char* wider : {"b16", "b32", "b64"}) {
    if (bits_of_type(wider) >= bits_of_type(access.type)) types.push_back(wider);
  }
  return types;
}

/// count registers of the type in the braces of a vector.
struct Registers {
  std::vector<std::string> names;
  std::string text;
};

Registers destination(Kernel& kernel, const std::string& type, uint32_t count) {
  Registers registers;
  for (uint32_t k = 0; k < count; ++k) {
    registers.names.push_back(type == "b128" ? kernel.fresh(type) : kernel.preset(type));
    if (type == "b128") {
      const std::string half = kernel.preset("b64");
      kernel.line("mov.b128 " + registers.names.back() + ", {" + half + ", " + half + "}");
    }
    registers.text += (k ? ", " : "") + registers.names.back();
  }
  if (count > 1) registers.text = "{" + registers.text + "}";
  return registers;
}

/// reg = base + index * factor, for addresses of 64 bits.
std::string element_address(Kernel& kernel, const std::string& base, const std::string& index,
                            uint32_t factor) {
  const std::string reg = kernel.fresh("b64");
  kernel.line("mul.wide.u32 " + reg + ", " + index + ", " + std::to_string(factor));
  kernel.line("add.u64 " + reg + ", " + reg + ", " + base);
  return reg;
}

/// A buffer of kAccessed bytes for each thread of the block, in the space; returns the register
/// with the address of this thread's part. `value` is where its bytes come from: 4 registers of 64
/// bits.
std::string filled_buffer(Kernel& kernel, const std::string& space,
                          const std::vector<std::string>& value) {
  const bool local = space == "local";
  const uint32_t threads = kernel.details().threads();
  kernel.declare("." + std::string(local ? "local" : "shared") + " .align 32 .b8 buffer[" +
                 std::to_string(local ? kAccessed : kAccessed * threads) + "]");
  const std::string base = kernel.fresh("b64");
  kernel.line("mov.u64 " + base + ", buffer");
  const std::string own = local ? element_address(kernel, base, "%zero", 1)
                                : element_address(kernel, base, "%thread", kAccessed);
  for (std::size_t k = 0; k < value.size(); ++k) {
    kernel.line(std::string("st.") + (local ? "local" : "shared") + ".b64 [" + own + "+" +
                std::to_string(8 * k) + "], " + value[k]);
  }
  return own;
}

void synchronize_owners(Kernel& kernel, const std::string& space) {
  if (space == "shared::cluster") {
    kernel.line("barrier.cluster.arrive.aligned");
    kernel.line("barrier.cluster.wait.aligned");
  } else if (space == "shared") {
    kernel.line("bar.sync 0");
  }
}

std::vector<std::string> four_words(Kernel& kernel) {
  std::vector<std::string> words;
  for (int k = 0; k < 4; ++k) words.push_back(kernel.operand("b64"));
  return words;
}

/// A function takes kAccessed bytes and gives them back through registers of the access's type.
void add_function_parameters(std::vector<Case>& cases, const ptx::Form& form, const Access& access,
                             const std::string& reg_type) {
  Kernel kernel(cases, form, "memory", reg_type);
  const std::string type = access.type, of = type == "b128" || type[0] == 'f' ? type : reg_type;
  std::string registers, body;
  const uint32_t step = access.size();
  const std::string vector = access.count > 1 ? ".v" + std::to_string(access.count) : "";
  for (uint32_t at = 0, k = 0; at < kAccessed; at += step, ++k) {
    std::string list;
    for (uint32_t e = 0; e < access.count; ++e) {
      const std::string reg = "%r" + std::to_string(k * access.count + e);
      registers += "  .reg ." + of + " " + reg + ";\n";
      list += (e ? ", " : "") + reg;
    }
    if (access.count > 1) list = "{" + list + "}";
    const std::string place = "+" + std::to_string(at) + "]";
    body += "  ld.param" + vector + "." + type + " " + list + ", [given" + place + ";\n";
    body += "  st.param" + vector + "." + type + " [back" + place + ", " + list + ";\n";
  }
  kernel.outside(".func (.param .align 32 .b8 back[32]) f(.param .align 32 .b8 given[32])\n{\n" +
                 registers + body + "  ret;\n}\n");
  const std::vector<std::string> words = four_words(kernel);
  std::vector<std::string> results;
  for (int k = 0; k < 4; ++k) results.push_back(kernel.preset("b64"));
  kernel.begin_active();
  kernel.brace('{');
  kernel.line(".param .align 32 .b8 argument[32]");
  kernel.line(".param .align 32 .b8 value[32]");
  for (int k = 0; k < 4; ++k) {
    kernel.line("st.param.b64 [argument+" + std::to_string(8 * k) + "], " + words[k]);
  }
  kernel.line("call (value), f, (argument)");
  for (int k = 0; k < 4; ++k) {
    kernel.line("ld.param.b64 " + results[k] + ", [value+" + std::to_string(8 * k) + "]");
  }
  kernel.brace('}');
  kernel.end_active();
  for (const std::string& result : results) kernel.result("b64", result);
}

void add_load(std::vector<Case>& cases, const ptx::Form& form, const Access& access,
              const std::string& reg_type) {
  Kernel kernel(cases, form, "memory", reg_type);
  const std::string name = spelling(form.name);
  if (access.space == "shared::cluster") kernel.details().cluster = 2;
  if (access.space == "param::entry") {
    for (int k = 0; k < 64; ++k) kernel.details().parameter.push_back(k * 37 + 129);
  }
  const Registers d = destination(kernel, reg_type, access.count);
  std::string from;
  if (access.space == "" || access.space == "global") {
    const std::string base = kernel.fresh("b64");
    const uint64_t offset = kernel.memory_operands(kAccessed / 8);
    kernel.line("add.u64 " + base + ", %inputs, " + std::to_string(offset));
    if (access.space.empty()) kernel.line("cvta.global.u64 " + base + ", " + base);
    from = element_address(kernel, base, "%index", access.size());
  } else if (access.space == "const") {
    std::string bytes;
    Random random(3);
    for (int k = 0; k < 1024; ++k) bytes += (k ? "," : "") + std::to_string(random.below(256));
    kernel.outside(".const .align 32 .b8 table[1024] = {" + bytes + "};");
    const std::string base = kernel.fresh("b64"), row = kernel.fresh("b32");
    kernel.line("mov.u64 " + base + ", table");
    kernel.line("and.b32 " + row + ", %thread, 31");
    from = element_address(kernel, base, row, access.size());
  } else if (access.space == "param::entry") {
    from = "blob+" + std::to_string(access.size());
  } else {
    const std::string own = filled_buffer(kernel, access.space, four_words(kernel));
    synchronize_owners(kernel, access.space);
    from = own;
    if (access.space == "shared") kernel.line("xor.b64 " + from + ", " + from + ", 32");
    if (access.space == "shared::cluster") from = kernel.in_other_block("u64", own);
  }
  kernel.begin_active();
  kernel.line(name + " " + d.text + ", [" + from + "]");
  kernel.end_active();
  if (access.space == "shared::cluster") synchronize_owners(kernel, access.space);
  for (const std::string& reg : d.names) kernel.result(reg_type, reg);
}

void add_store(std::vector<Case>& cases, const ptx::Form& form, const Access& access,
               const std::string& reg_type) {
  Kernel kernel(cases, form, "memory", reg_type);
  if (access.space == "shared::cluster") kernel.details().cluster = 2;
  Registers source;
  for (uint32_t k = 0; k < access.count; ++k) {
    source.names.push_back(kernel.operand(reg_type));
    source.text += (k ? ", " : "") + source.names.back();
  }
  if (access.count > 1) source.text = "{" + source.text + "}";
  std::string to, own;
  if (access.space == "" || access.space == "global") {
    const std::string base = kernel.fresh("b64");
    const uint64_t offset = kernel.memory_results(kAccessed / 8);
    kernel.line("add.u64 " + base + ", %outputs, " + std::to_string(offset));
    if (access.space.empty()) kernel.line("cvta.global.u64 " + base + ", " + base);
    to = element_address(kernel, base, "%index", kAccessed);
  } else {
    own = filled_buffer(kernel, access.space, four_words(kernel));
    synchronize_owners(kernel, access.space);
    to = access.space == "shared::cluster" ? kernel.in_other_block("u64", own) : own;
  }
  kernel.begin_active();
  kernel.line(form.name + " [" + to + "], " + source.text);
  kernel.end_active();
  if (!own.empty()) {
    synchronize_owners(kernel, access.space);
    const std::string space = access.space == "local" ? "local" : "shared";
    for (uint32_t k = 0; k < kAccessed / 8; ++k) {
      const std::string word = kernel.fresh("b64");
      kernel.line("ld." + space + ".b64 " + word + ", [" + own + "+" + std::to_string(8 * k) + "]");
      kernel.result("b64", word);
    }
  }
}

// ---- addresses ----

/// Addresses differ between GPUs, but what lies there doesn't: through cvta, or both ways.
void add_conversion(std::vector<Case>& cases, const ptx::Form& form) {
  const std::vector<std::string> parts = parts_of(form.name);
  const bool to = parts[1] == "to";
  const std::string space = parts[to ? 2 : 1];
  Kernel kernel(cases, form, "memory");
  const std::string d = kernel.preset("b64");
  std::string own = kernel.fresh("b64");
  std::string load = space;
  if (space == "global") {
    const std::string base = kernel.fresh("b64");
    kernel.line("add.u64 " + base + ", %inputs, " + std::to_string(kernel.memory_operands(1)));
    own = element_address(kernel, base, "%index", 8);
  } else if (space == "const") {
    kernel.outside(".const .align 8 .u64 table[4] = {17, 18, 0x123456789abcdef0, 20};");
    kernel.line("mov.u64 " + own + ", table");
    kernel.line("add.u64 " + own + ", " + own + ", 16");
  } else if (space == "param") {
    for (int k = 0; k < 16; ++k) kernel.details().parameter.push_back(k * 53 + 7);
    kernel.line("mov.u64 " + own + ", blob");
    kernel.line("add.u64 " + own + ", " + own + ", 8");
  } else {
    own = filled_buffer(kernel, space == "local" ? "local" : "shared", four_words(kernel));
    if (space != "local") load = "shared";
  }
  const std::string generic = kernel.fresh("b64");
  kernel.line("cvta." + space + ".u64 " + generic + ", " + own);
  if (to) {
    const std::string back = kernel.fresh("b64");
    kernel.line(form.name + " " + back + ", " + generic);
    kernel.line("ld." + load + ".b64 " + d + ", [" + back + "]");
  } else {
    kernel.line("ld.b64 " + d + ", [" + generic + "]");
  }
  kernel.result("b64", d);
}

/// Asked about generic addresses of each space.
void add_space_question(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "memory");
  kernel.outside(".const .align 8 .u64 table[4] = {17, 18, 19, 20};");
  kernel.declare(".shared .align 8 .b8 words[64]");
  kernel.declare(".local .align 8 .b8 own[64]");
  const auto question = [&](const std::string& space, const std::string& where) {
    const std::string generic = kernel.fresh("b64"), p = kernel.preset("pred");
    kernel.line("mov.u64 " + generic + ", " + where);
    kernel.line("cvta." + space + ".u64 " + generic + ", " + generic);
    kernel.line("@%active " + form.name + " " + p + ", " + generic);
    kernel.result("pred", p);
  };
  question("global", "%inputs");
  question("shared", "words");
  question("local", "own");
  question("const", "table");
}

/// mapa and getctarank: through the address of the other block's variable.
void add_cluster_address(std::vector<Case>& cases, const ptx::Form& form) {
  const std::vector<std::string> parts = parts_of(form.name);
  const bool mapa = parts[0] == "mapa";
  const bool generic = parts[1] == "u64", narrow = parts.back() == "u32";
  for (const bool other : {false, true}) {
    Kernel kernel(cases, form, "cluster", other ? "the other block" : "the own block");
    kernel.details().cluster = 2;
    kernel.declare(".shared .align 8 .b8 words[1024]");
    const std::string a = kernel.operand("b64"), type = narrow ? "u32" : "u64";
    const std::string base = kernel.fresh(type), own = kernel.fresh(type);
    const std::string rank = kernel.fresh("b32"), there = kernel.fresh(type);
    kernel.line("mov." + type + " " + base + ", words");
    if (narrow) {
      kernel.line("mad.lo.u32 " + own + ", %thread, 8, " + base);
    } else {
      kernel.line("mul.wide.u32 " + own + ", %thread, 8");
      kernel.line("add.u64 " + own + ", " + own + ", " + base);
    }
    kernel.line("st.shared.b64 [" + own + "], " + a);
    kernel.line("mov.u32 " + rank + ", %cluster_ctarank");
    if (other) kernel.line("xor.b32 " + rank + ", " + rank + ", 1");
    if (generic) kernel.line("cvta.shared.u64 " + own + ", " + own);
    const std::string map = mapa      ? form.name
                            : generic ? "mapa.u64"
                                      : "mapa.shared::cluster." + type;
    kernel.line(map + " " + there + ", " + own + ", " + rank);
    synchronize_owners(kernel, "shared::cluster");
    if (mapa) {
      const std::string d = kernel.preset("b64");
      kernel.line(std::string(generic ? "ld" : "ld.shared::cluster") + ".b64 " + d + ", [" + there +
                  "]");
      kernel.result("b64", d);
    } else {
      const std::string d = kernel.preset("b32");
      kernel.line(form.name + " " + d + ", " + there);
      kernel.result("b32", d);
    }
    synchronize_owners(kernel, "shared::cluster");
  }
}

/// It must do nothing.
void add_prefetch(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "memory");
  const std::string a = kernel.operand("b64"), d = kernel.preset("b64");
  std::string where = "%in";
  if (form.name.find("local") != form.name.npos) {
    where = filled_buffer(kernel, "local", {a});
  } else if (form.name.find("global") == form.name.npos) {
    where = kernel.fresh("b64");
    kernel.line("cvta.global.u64 " + where + ", %in");
  }
  kernel.line(form.name + " [" + where + "]");
  kernel.line("mov.b64 " + d + ", " + a);
  kernel.result("b64", d);
}

/// Of each type; what `add` adds accesses memory.
template <class Add>
void add_each_type(std::vector<Case>& cases, const ptx::Form& form, Add add) {
  const Access access = access_of(form);
  for (const std::string& type : register_types(access)) {
    const bool parameters = access.space == "param::func";
    parameters ? add_function_parameters(cases, form, access, type)
               : add(cases, form, access, type);
  }
}

}  // namespace

void add_load_cases(std::vector<Case>& cases, const ptx::Form& form) {
  add_each_type(cases, form, add_load);
}

void add_store_cases(std::vector<Case>& cases, const ptx::Form& form) {
  add_each_type(cases, form, add_store);
}

void add_address_cases(std::vector<Case>& cases, const ptx::Form& form) {
  const std::string op = parts_of(form.name).front();
  if (op == "cvta") add_conversion(cases, form);
  if (op == "isspacep") add_space_question(cases, form);
  if (op == "mapa" || op == "getctarank") add_cluster_address(cases, form);
  if (op == "prefetch" || op == "prefetchu") add_prefetch(cases, form);
}

}  // namespace clcsim::conformance
