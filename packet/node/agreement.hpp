// Compares the objects that the nodes of a process make and that must be equal, such as plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/shape.hpp"

namespace toroid {

/// Every node makes the same objects in the same order. An Agreement compares the k-th object of
/// each node of this process with that of the node that made its k-th object first. It sends
/// nothing, and does not compare the objects of several processes. Any thread may call it. Runner
/// owns it.
class Agreement {
 public:
  /// What differs between two objects, and its value in each, as text.
  struct Difference {
    std::string field;
    std::string a;
    std::string b;
  };
  /// Returns the first difference between two objects; none if they are equal.
  using Compare = std::optional<Difference> (*)(const void* a, const void* b);

  /// `nodes`: number of nodes of this process.
  explicit Agreement(std::size_t nodes) : nodes_(nodes) {}
  Agreement(const Agreement&) = delete;

  /// Notes that a node has made its next object, a `kind` such as "plan". An object that nodes
  /// share is equal to itself and not compared. Throws RunFailed, which names the two nodes, the
  /// field and both values, if the object differs. REQUIRES: all objects have the type that
  /// `compare` takes.
  void add(const Shape& shape, Rank node, std::string_view kind, std::shared_ptr<const void> object,
           Compare compare);

 private:
  /// The k-th object of the nodes.
  struct Made {
    Rank first;                          ///< the node that made it first
    std::shared_ptr<const void> object;  ///< that node's object; null when all nodes have made it
    std::size_t nodes = 0;               ///< number of nodes that have made it
  };

  std::mutex mutex_;  ///< guards all below
  std::size_t nodes_;
  std::vector<std::uint32_t> numbers_;  ///< [node]: number of objects that it has made
  std::vector<Made> made_;
};

}  // namespace toroid
