// A pointer that counts who shares what it points to. std::shared_ptr counts with atomic operations
// once the program has threads; clocks are copied at each barrier, and by one thread at a time.
#pragma once

#include <cstddef>
#include <utility>

namespace clcsim::checks {

/// T has a member `users`, for this class alone.
template <class T>
class Shared {
 public:
  Shared() = default;
  explicit Shared(T* made) : to_(made) { to_->users = 1; }
  Shared(const Shared& other) : to_(other.to_) {
    if (to_ != nullptr) ++to_->users;
  }
  Shared(Shared&& other) noexcept : to_(std::exchange(other.to_, nullptr)) {}
  Shared& operator=(const Shared& other) {
    if (to_ != other.to_) *this = Shared(other);
    return *this;
  }
  Shared& operator=(Shared&& other) noexcept {
    std::swap(to_, other.to_);
    return *this;
  }
  ~Shared() {
    if (to_ != nullptr && --to_->users == 0) delete to_;
  }

  T& operator*() const { return *to_; }
  T* operator->() const { return to_; }
  bool operator==(const Shared&) const = default;
  bool operator==(std::nullptr_t) const { return to_ == nullptr; }
  bool alone() const { return to_->users == 1; }

 private:
  T* to_ = nullptr;
};

}  // namespace clcsim::checks
