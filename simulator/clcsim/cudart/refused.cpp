// The functions of the toolkit's own library, whatever its version, that no other file here
// defines: they say so once and fail. Without them, the loader would end the program with a message
// about a missing symbol.

#include <driver_types.h>

#include <string_view>

#include "cudart/call.h"

namespace clcsim::cudart {
namespace {

/// What is not modelled, and a part of the names of the functions about it. The first that fits
/// counts.
struct Missing {
  const char* part;
  const char* why;
};
constexpr const char* kArrays = "clcsim has no textures and arrays";
constexpr const char* kGraphics = "clcsim shares nothing with graphics";
constexpr const char* kGraphs =
    "clcsim's graphs have kernels, copies, fills, functions of the host and empty nodes";
constexpr const char* kOneDevice = "clcsim has one device, for one process";
constexpr const char* kNoDriver = "clcsim replaces the runtime, not the driver";
constexpr const char* kOnePool = "clcsim has one pool of memory, which does not migrate";
constexpr const char* kLibraries =
    "clcsim has cudaLibraryLoadData, cudaLibraryGetKernel, cudaLibraryGetGlobal and "
    "cudaLibraryUnload";
constexpr Missing kMissing[] = {
    {"Array", kArrays},          {"Surface", kArrays},
    {"Texture", kArrays},        {"ChannelDesc", kArrays},
    {"Graphics", kGraphics},     {"EGL", kGraphics},
    {"cudaGL", kGraphics},       {"VDPAU", kGraphics},
    {"Graph", kGraphs},          {"Capture", kGraphs},
    {"UserObject", kGraphs},     {"External", kOneDevice},
    {"NvSci", kOneDevice},       {"P2P", kOneDevice},
    {"Peer", kOneDevice},        {"Ipc", kOneDevice},
    {"GPUDirect", kOneDevice},   {"AsyncNotification", kOneDevice},
    {"__cuda", kNoDriver},       {"DriverEntryPoint", kNoDriver},
    {"ExportTable", kNoDriver},  {"Logs", kNoDriver},
    {"HostAtomic", kOnePool},    {"MemPool", kOnePool},
    {"MemRange", kOnePool},      {"Batch", kOnePool},
    {"cudaLibrary", kLibraries}, {"", "clcsim doesn't know it"},
};

cudaError_t refuse(const char* name) {
  const Missing* missing = kMissing;
  while (std::string_view(name).find(missing->part) == std::string_view::npos) ++missing;
  return refuse_call(name, missing->why);
}

}  // namespace
}  // namespace clcsim::cudart

// Weak definitions give way to the others. Whatever the arguments are: the caller's registers and
// stack are not looked at.
#define CLCSIM_NAME(name)                                                      \
  extern "C" __attribute__((visibility("default"), weak)) cudaError_t name() { \
    return clcsim::cudart::refuse(#name);                                      \
  }
#include "all_names.inc"
#undef CLCSIM_NAME
