#include "context/attached.h"

#include "cudart/api.h"
#include "cudart/call.h"

CLCSIM_EXPORT void clcsim_attach(clcsim::context::Attached& attached) {
  clcsim::cudart::introduce([&](auto& context) { context.attach(attached); });
}
