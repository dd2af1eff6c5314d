// clcsim_playground CATALOGUE: answers requests, one on each line of standard input, with a line on
// standard output. What the page does in a worker, without a page.
#include <cstdio>
#include <iostream>

#include "config/output_file.h"
#include "playground/engine/engine.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: clcsim_playground CATALOGUE < requests: one JSON object on each line\n",
               stderr);
    return 2;
  }
  try {
    clcsim::playground::Engine engine(clcsim::config::text_of_file(argv[1]));
    for (std::string request; std::getline(std::cin, request);) {
      std::string reply = engine.run(request, {});
      std::erase(reply, '\n');  // of the record, between its parts
      std::puts(reply.c_str());
    }
  } catch (const clcsim::report::JsonError& error) {
    std::fprintf(stderr, "clcsim_playground: %s: %s\n", argv[1], error.what());
    return 2;
  }
}
