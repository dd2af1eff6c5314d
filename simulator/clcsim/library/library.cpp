#include "library/clcsim.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "config/profile.h"
#include "context/launch.h"
#include "host/host.h"
#include "machine/fault.h"
#include "player/page.h"
#include "ptx/parser.h"
#include "report/json.h"
#include "report/json_reader.h"

namespace clcsim::library {
namespace {

using host::Host;
using host::Shape;
using report::Json;
using report::JsonWriter;

// Why there is no result, or only a part of one.
struct Error {
  const char* kind;
  std::string message;
  std::size_t line = 0;  // of the PTX; 0: of none
};

void write(JsonWriter& json, const std::optional<Error>& error) {
  json.key("error");
  if (!error) return json.raw("null");
  json.value(
      [&] { json.members("kind", error->kind, "message", error->message, "line", error->line); });
}

// Runs `answer`, which writes the reply's members but the error, and returns what went wrong.
template <class Answer>
char* reply_of(const Answer& answer) {
  JsonWriter json;
  json.value([&] {
    json.members("version", config::version());
    std::optional<Error> error;
    try {
      error = answer(json);
    } catch (const Error& thrown) {
      error = thrown;
    } catch (const ptx::ParseError& thrown) {
      error = {"ptx", thrown.what(), thrown.position().line};
    } catch (const std::bad_alloc&) {
      error = {"argument", "there is not enough memory for this run"};
    } catch (const std::exception& thrown) {
      error = {"argument", thrown.what()};
    }
    write(json, error);
  });
  return strdup(json.take().c_str());
}

// 'f': floating-point, 'i': whole numbers, 'b': bytes whose meaning the text doesn't say.
char kind_of(const ptx::ast::Variable& parameter) {
  using ptx::ast::ScalarType;
  if (!parameter.dimensions.empty()) return 'b';
  switch (parameter.type) {
    case ScalarType::kF16:
    case ScalarType::kF32:
    case ScalarType::kF64:
      return 'f';
    case ScalarType::kU8:
    case ScalarType::kU16:
    case ScalarType::kU32:
    case ScalarType::kU64:
    case ScalarType::kS8:
    case ScalarType::kS16:
    case ScalarType::kS32:
    case ScalarType::kS64:
      return 'i';
    default:
      return 'b';
  }
}

std::string kinds_of(const ptx::ast::Function& function) {
  std::string kinds;
  for (const ptx::ast::Variable& parameter : function.parameters()) kinds += kind_of(parameter);
  return kinds;
}

std::optional<Error> list_kernels(JsonWriter& json, const char* ptx) {
  machine::DeviceMemory memory(std::uint64_t{1} << 40);
  machine::Module module(ptx, memory);
  std::vector<const ptx::Program*> programs;
  for (const std::string_view name : module.kernel_names()) programs.push_back(module.kernel(name));
  json.array("kernels", [&] {
    for (const ptx::Program* program : programs) {
      json.value([&] {
        json.members("name", program->name);
        json.array("parameters", [&] {
          for (const ptx::Parameter& parameter : program->parameters) json.value(parameter.size);
        });
        json.members("kinds",
                     kinds_of(module.tree().functions[module.tree().find_function(program->name)]),
                     "shared", program->shared_bytes, "threads", program->required_threads,
                     "cluster", program->cluster, "refusals", program->refusals);
      });
    }
  });
  return std::nullopt;
}

std::optional<Error> describe_gpu(JsonWriter& json, const char* name) {
  const config::Options options = config::read_command_line({"--gpu", name}, {}).options;
  const config::Profile gpu = *config::find_profile(options.gpu);
  json.members("capability", std::array{gpu.major, gpu.minor}, "sms", gpu.sms, "threads",
               gpu.threads_per_sm, "shared", gpu.shared_per_block_optin, "shared_of_sm",
               gpu.shared_per_sm, "clock", gpu.clock_khz, "memory", gpu.memory_bytes);
  return std::nullopt;
}

// ---- a run ----

dim3 dim_of(const Json& value) {
  dim3 dim(0, 0, 0);
  const Json::Array& sizes = value.array();
  unsigned* const parts[] = {&dim.x, &dim.y, &dim.z};
  for (std::size_t i = 0; i < std::min<std::size_t>(3, sizes.size()); ++i) {
    *parts[i] = static_cast<unsigned>(sizes[i].integer());
  }
  return dim;
}

config::Options options_of(const Json& words) {
  std::vector<std::string> arguments;
  for (const Json& word : words.array()) arguments.push_back(word.text());
  return config::read_command_line(arguments, {}).options;
}

std::string text_of(const machine::Dim3& size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

// A launch that the real runtime refuses with an error's name alone.
void check(const Shape& shape, const ptx::Program& program, const config::Profile& profile) {
  const std::uint64_t threads = std::uint64_t{shape.block.x} * shape.block.y * shape.block.z;
  if (std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z == 0) {
    throw Error{"argument", "the grid has no block"};
  }
  if (threads == 0) throw Error{"argument", "a block has no thread"};
  if (shape.grid.y > 65535 || shape.grid.z > 65535) {
    throw Error{"argument", "the grid has more than 65535 blocks in its second or third dimension"};
  }
  if (shape.block.z > 64) {
    throw Error{"argument", "a block has more than 64 threads in its third dimension"};
  }
  const machine::Dim3 required = context::required_block(program);
  if (required.x != 0 && required != machine::Dim3{shape.block.x, shape.block.y, shape.block.z}) {
    throw Error{"argument",
                "a block of this kernel must have " + text_of(required) + " threads (.reqntid)"};
  }
  const std::uint64_t blocks = std::uint64_t{shape.cluster.x} * shape.cluster.y * shape.cluster.z;
  if (const unsigned room = context::cluster_limit({}, profile); blocks > room) {
    throw Error{"argument", "a cluster has " + std::to_string(blocks) + " blocks, and more than " +
                                std::to_string(room) + " are not portable"};
  }
  const std::uint64_t most =
      program.max_threads != 0 ? program.max_threads : config::kMaxThreadsPerBlock;
  if (threads > most) {
    throw Error{"argument", "a block has " + std::to_string(threads) +
                                " threads, and this kernel allows " + std::to_string(most)};
  }
  const std::uint64_t shared = std::uint64_t(shape.shared) + program.shared_bytes;
  if (shared > static_cast<std::uint64_t>(profile.shared_per_block_optin)) {
    throw Error{"argument", "a block needs " + std::to_string(shared) +
                                " bytes of shared memory, and a block of " + profile.name +
                                " may have " + std::to_string(profile.shared_per_block_optin)};
  }
  const auto divides = [](unsigned cluster, unsigned grid) {
    return cluster != 0 && grid % cluster == 0;
  };
  if (shape.cluster.x != 0 &&
      !(divides(shape.cluster.x, shape.grid.x) && divides(shape.cluster.y, shape.grid.y) &&
        divides(shape.cluster.z, shape.grid.z))) {
    throw Error{"argument", "the grid is not a multiple of the cluster in each dimension"};
  }
}

Error error_of(const Host& host, cudaError_t error) {
  if (!host.stopped().empty()) return {"limit", host.stopped()};
  if (!host.refused().empty()) return {"argument", host.refused()};
  const machine::DeviceFault* fault = host.context().gpu().fault();
  if (fault == nullptr) {
    return {"argument", std::string("the launch failed: ") + cudaGetErrorName(error) + " (" +
                            cudaGetErrorString(error) + ")"};
  }
  if (fault->kind == machine::FaultKind::deadlock)
    return {"fault", "the kernel never ends: a deadlock"};
  const bool unsupported = fault->kind == machine::FaultKind::unsupported;
  return {unsupported ? "refused" : "fault", fault->what.empty() ? "a fault" : fault->what};
}

// clcsim_argument::memory
constexpr int kUnwritten = 2, kHoldsAddresses = 3, kReachable = 4, kReachableUnwritten = 5,
              kInPlace = 6;

// A call of the runtime's that failed.
struct Failed {
  cudaError_t error;
};
void demand(cudaError_t error) {
  if (error != cudaSuccess) throw Failed{error};
}

// The arguments as the GPU gets them, and back.
class Memory {
 public:
  Memory(const clcsim_argument* arguments, std::size_t count) {
    addresses_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) add(arguments[i]);
    for (std::vector<std::uint64_t>& words : structures_) {
      for (std::uint64_t& word : words) word = address_in_copy(word);
    }
  }

  const std::vector<Host::Argument>& arguments() const { return arguments_; }
  const std::vector<std::uint64_t>& addresses() const { return addresses_; }

  void copy_back() {
    for (const auto& [data, copy] : copies_)
      demand(cudaMemcpy(data, copy.memory, copy.bytes, cudaMemcpyDeviceToHost));
  }

 private:
  struct Copy {
    void* memory;
    std::size_t bytes;
  };

  static machine::DeviceMemory& device() { return context::Context::current().gpu().memory(); }

  void add(const clcsim_argument& argument) {
    addresses_.push_back(0);
    if (argument.memory == 0) {
      arguments_.push_back({argument.data, argument.bytes});
      return;
    }
    if (argument.memory == kHoldsAddresses) {
      std::vector<std::uint64_t>& words = structures_.emplace_back((argument.bytes + 7) / 8);
      std::memcpy(words.data(), argument.data, argument.bytes);
      arguments_.push_back({words.data(), argument.bytes});
      return;
    }
    if (argument.memory == kInPlace) {
      addresses_.back() = reinterpret_cast<std::uintptr_t>(argument.data);
      device().add_host(argument.data, argument.bytes);
      return;
    }
    addresses_.back() = argument.data == nullptr
                            ? 0
                            : context::address_of(copy_of(argument).memory) + argument.offset;
    if (argument.memory >= kReachable) return;
    arguments_.push_back({&addresses_.back(), sizeof(std::uint64_t)});
  }

  const Copy& copy_of(const clcsim_argument& argument) {
    const auto [known, is_new] = copies_.try_emplace(argument.data, Copy{nullptr, argument.bytes});
    if (!is_new) return known->second;
    void*& memory = known->second.memory;
    const std::size_t bytes = std::max<std::size_t>(1, argument.bytes);
    if (cudaMalloc(&memory, bytes) == cudaErrorMemoryAllocation) {
      throw host::Refusal("there is no memory for " + std::to_string(bytes) +
                          " bytes: give fewer elements");
    }
    if (argument.memory == kUnwritten || argument.memory == kReachableUnwritten) {
      std::memcpy(device().translate(context::address_of(memory), argument.bytes), argument.data,
                  argument.bytes);
    } else {
      demand(cudaMemcpy(memory, argument.data, argument.bytes, cudaMemcpyHostToDevice));
    }
    return known->second;
  }

  std::uint64_t address_in_copy(std::uint64_t word) const {
    const auto behind = copies_.upper_bound(reinterpret_cast<void*>(word));
    if (behind == copies_.begin()) return word;
    const auto& [data, copy] = *std::prev(behind);
    const std::uint64_t offset = word - reinterpret_cast<std::uintptr_t>(data);
    return offset < copy.bytes ? context::address_of(copy.memory) + offset : word;
  }

  std::map<void*, Copy> copies_;
  std::deque<std::vector<std::uint64_t>> structures_;  // of kHoldsAddresses
  std::vector<std::uint64_t> addresses_;
  std::vector<Host::Argument> arguments_;
};

void write_counts(JsonWriter& json, const Host& host) {
  const std::vector<report::Statistics::Row>& rows = host.context().statistics()->rows();
  if (rows.empty()) return;
  const report::Statistics::Row& row = rows.front();
  json.members("kernel", row.kernel, "launched", row.blocks, "started", row.counts.blocks_started,
               "stolen", row.counts.blocks_stolen, "requests", row.counts.requests, "failed",
               row.counts.requests_refused, "cycles", row.cycles, "instructions", row.instructions);
}

std::optional<Error> run_launch(Host& host, const Json& request, const Shape& shape,
                                const clcsim_argument* arguments, std::size_t count,
                                JsonWriter& json) {
  try {
    const std::string& kernel = request["kernel"].text();
    check(shape, host.program(kernel), host.context().profile());
    Memory memory(arguments, count);
    json.members("addresses", memory.addresses());
    demand(host.launch(kernel, shape, memory.arguments()));
    demand(cudaDeviceSynchronize());
    memory.copy_back();
    return std::nullopt;
  } catch (const Failed& failed) {
    return error_of(host, failed.error);
  } catch (const host::Refusal& refusal) {
    return Error{"argument", refusal.what()};
  }
}

std::optional<Error> run(JsonWriter& json, const char* text, const clcsim_argument* arguments,
                         std::size_t count) {
  const Json request = Json::parse(text);
  const config::Options options = options_of(request["options"]);
  const bool page = request["page"].truth();
  for (const auto& [path, source] : request["sources"].object()) {
    report::give_file(path, source.text());
  }
  Host host(
      {.profile = *config::find_profile(options.gpu),
       .seed = options.seed,
       .answers = {.refuse = options.refuse, .grants_increase = options.grants_increase},
       .check = options.check,
       .accepted = report::Accepted(options),
       .record = page,
       .cycles = options.limit_cycles != 0 ? options.limit_cycles : machine::kNever,
       .seconds = options.limit_seconds != 0 ? static_cast<double>(options.limit_seconds) : 1e9},
      request["ptx"].text());
  const Shape shape{.grid = dim_of(request["grid"]),
                    .block = dim_of(request["block"]),
                    .cluster = dim_of(request["cluster"]),
                    .shared = static_cast<int>(request["shared"].integer())};
  const std::optional<Error> error = run_launch(host, request, shape, arguments, count, json);
  host.write_summary();
  write_counts(json, host);
  json.key("findings");
  json.raw(host.context().findings().json());
  json.members("text", host.text(), "printed", host.printed(), "not_needed",
               host.context().findings().not_needed());
  if (page && !host.context().statistics()->rows().empty()) {
    json.members("page", player::page_text(host.record("clcsim")));
  }
  return error;
}

}  // namespace
}  // namespace clcsim::library

char* clcsim_kernels(const char* ptx) {
  return clcsim::library::reply_of(
      [&](clcsim::report::JsonWriter& json) { return clcsim::library::list_kernels(json, ptx); });
}

char* clcsim_gpu(const char* name) {
  return clcsim::library::reply_of(
      [&](clcsim::report::JsonWriter& json) { return clcsim::library::describe_gpu(json, name); });
}

char* clcsim_run(const char* request, const clcsim_argument* arguments, size_t count) {
  return clcsim::library::reply_of([&](clcsim::report::JsonWriter& json) {
    return clcsim::library::run(json, request, arguments, count);
  });
}

void clcsim_free(char* reply) {
  std::free(reply);
}
