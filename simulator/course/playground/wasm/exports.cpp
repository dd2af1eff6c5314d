// What the worker calls: engine.js beside this file.
#include <emscripten.h>

#include <memory>
#include <string>

#include "playground/engine/engine.h"

namespace {

using clcsim::playground::Engine;
using clcsim::playground::Progress;

// clang-format off
EM_JS(void, tell_progress, (double cycles, double instructions, double started), {
  if (Module.progress) Module.progress({cycles : cycles, instructions : instructions, started : started});
});
// clang-format on

std::unique_ptr<Engine> engine;
std::string reply;

}  // namespace

// Empty, or what is wrong with the catalogue.
extern "C" EMSCRIPTEN_KEEPALIVE const char* clcsim_start(const char* catalogue) {
  try {
    engine = std::make_unique<Engine>(catalogue);
    reply.clear();
  } catch (const std::exception& error) {
    reply = error.what();
  }
  return reply.c_str();
}

extern "C" EMSCRIPTEN_KEEPALIVE const char* clcsim_run(const char* request) {
  reply = engine->run(request, [](const Progress& progress) {
    tell_progress(static_cast<double>(progress.cycles), static_cast<double>(progress.instructions),
                  static_cast<double>(progress.started));
  });
  return reply.c_str();
}
