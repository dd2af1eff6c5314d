#include "context/unseen_errors.h"

#include <algorithm>

#include "context/api.h"

namespace clcsim::context {

void UnseenErrors::add(std::string launch, cudaError_t error, const void* caller) {
  const std::lock_guard<std::mutex> guard(mutex_);
  const Failed failed{.launch = std::move(launch), .error = error, .caller = caller};
  const auto same = [&](const Failed& other) {
    return other.caller == caller && other.error == error && other.launch == failed.launch &&
           other.thread == failed.thread;
  };
  const auto known = std::find_if(failed_.begin(), failed_.end(), same);
  if (known == failed_.end()) {
    failed_.push_back(failed);
  } else {
    known->count = std::min(known->count + 1, machine::kMostCounted);
  }
}

void UnseenErrors::fetched() {
  const std::lock_guard<std::mutex> guard(mutex_);
  std::erase_if(failed_,
                [](const Failed& failed) { return failed.thread == std::this_thread::get_id(); });
}

std::vector<machine::Finding> UnseenErrors::notes(Place place_of) const {
  const std::lock_guard<std::mutex> guard(mutex_);
  std::vector<machine::Finding> notes;
  for (const Failed& failed : failed_) {
    const machine::Finding note{.rule = machine::Rule::unseen_error,
                                .what = machine::What::launch_failed_unseen,
                                .text = failed.launch + " failed with " +
                                        cudaGetErrorName(failed.error) + " (" +
                                        cudaGetErrorString(failed.error) + ")",
                                .host = place_of(failed.caller)};
    notes.insert(notes.end(), failed.count, note);
  }
  return notes;
}

}  // namespace clcsim::context
