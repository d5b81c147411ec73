// A count of arrivals that a program can wait for.
#pragma once

#include <cstdint>
#include <string_view>

namespace toroid {

/// A count that handlers raise and Node::until() waits for.
class Counter {
 public:
  Counter() = default;
  /// The name appears in the report of a run that cannot go on; it must outlive the counter.
  explicit Counter(std::string_view name) : name_(name) {}

  void bump(std::uint64_t by = 1) { value_ += by; }
  std::uint64_t value() const { return value_; }
  std::string_view name() const { return name_; }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(value_);
  }

 private:
  std::uint64_t value_ = 0;
  std::string_view name_ = "counter";
};

}  // namespace toroid
