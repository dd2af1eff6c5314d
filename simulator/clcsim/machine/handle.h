// Blocks, clusters and warps come and go by the thousand. A Pool keeps their memory and uses it
// again; a Handle names one of them while it lives and is empty from then on, whoever has its
// memory.
//
// T has a `serial`: 0 while it does not live, otherwise a number that no other T ever had. Its
// `slot` is a small number that no other living T has.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace clcsim::machine {

template <class T>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T& object) : object_(&object), serial_(object.serial) {}

  /// nullptr: it has ended.
  T* get() const { return serial_ != 0 && object_->serial == serial_ ? object_ : nullptr; }
  explicit operator bool() const { return get() != nullptr; }
  bool operator==(const T* object) const { return get() == object; }

  T& operator*() const {
    T* const object = get();
    if (object == nullptr) throw std::logic_error("a handle was used of what has ended");
    return *object;
  }
  T* operator->() const { return &**this; }

 private:
  T* object_ = nullptr;
  std::uint64_t serial_ = 0;
};

template <class T>
class Pool {
 public:
  /// A living T. Its other members are those of an earlier life: their buffers serve again.
  T& take() {
    if (idle_.empty()) {
      all_.push_back(std::make_unique<T>());
      all_.back()->slot = static_cast<std::uint32_t>(all_.size() - 1);
      idle_.push_back(all_.back().get());
    }
    T& object = *idle_.back();
    idle_.pop_back();
    object.serial = ++taken_;
    return object;
  }

  void give_back(T& object) {
    object.serial = 0;
    idle_.push_back(&object);
  }

  void give_back_all() {
    for (T* object : living()) give_back(*object);
  }

  std::vector<T*> living() const {
    std::vector<T*> result;
    for (const auto& object : all_) {
      if (object->serial != 0) result.push_back(object.get());
    }
    return result;
  }

 private:
  std::vector<std::unique_ptr<T>> all_;
  std::vector<T*> idle_;
  std::uint64_t taken_ = 0;
};

}  // namespace clcsim::machine
