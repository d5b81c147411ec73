// Compares the objects that the nodes make and that must be equal, such as plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/attachment.hpp"

namespace toroid {

class Node;

/// The layer's own handler number for descriptions of objects.
inline constexpr HandlerId kAgreementHandler = 1;

/// Every node makes the same objects in the same order.
///
/// **Within a process**, an Agreement compares the k-th object of each node with that of the node
/// that made its k-th object first. It sends nothing.
/// **Between processes**, the node that makes its process's k-th object first describes it to node
/// 0, in packets for kAgreementHandler. The process of node 0 compares the description with that of
/// its own k-th object when both are there. This costs no node a wait, so a run with different
/// objects may also fail for another reason first. It is not found out that another process makes
/// fewer objects, and sends nothing for the rest.
///
/// Any thread may call it. Runner owns it.
class Agreement {
 public:
  /// What differs between two objects, and its value in each, as text.
  struct Difference {
    std::string field;
    std::string a;
    std::string b;
  };
  /// All fields of an object that must be equal, with their values; the fields are the same for all
  /// objects of a kind. Tabs and line breaks in them do not count.
  using Fields = std::vector<std::pair<std::string, std::string>>;
  /// A kind of objects.
  struct Kind {
    std::string_view name;  ///< such as "plan"
    /// Returns the first difference between two objects; none if they are equal.
    std::optional<Difference> (*compare)(const void* a, const void* b);
    Fields (*describe)(const void* object);
  };

  /// `nodes`: number of nodes of this process.
  explicit Agreement(std::size_t nodes) : nodes_(nodes) {}
  Agreement(const Agreement&) = delete;
  ~Agreement();

  /// Compares what other processes make too. REQUIRES: called before the run; `first` is node 0,
  /// and other processes have nodes.
  void hear_others(Node& first);
  /// Notes that a node has made its next object. An object that nodes share is equal to itself and
  /// not compared. Throws RunFailed, which names the two nodes, the field and both values, if the
  /// object differs. REQUIRES: `object` has the type that `kind` takes.
  void add(Node& node, std::shared_ptr<const void> object, const Kind& kind);

 private:
  /// The k-th object of the nodes.
  struct Made {
    Rank first;                          ///< the node that made it first
    std::shared_ptr<const void> object;  ///< that node's object; null when all nodes have made it
    std::size_t nodes = 0;               ///< number of nodes that have made it
    Fields fields{};                     ///< only if this process hears others
  };
  /// What a node of another process says of its k-th object.
  struct Description {
    std::vector<std::string> parts;  ///< of each packet; empty until it has arrived
    std::size_t arrived = 0;         ///< number of packets

    /// Keeps the part of a packet. Throws RunFailed if it contradicts earlier ones.
    void add(unsigned part, unsigned of, std::span<const std::byte> piece);
    bool is_complete() const { return arrived == parts.size(); }
    std::string text() const;
  };

  std::size_t count(Rank node);
  bool hears_others() const { return attachment_.node() != nullptr; }
  void describe(Node& node, std::size_t number, Fields fields);
  void on_packet(const Packet& packet);
  /// Compares a complete description with this process's object of that number.
  void judge(std::size_t number, Rank from, const Description& theirs) const;
  std::string unmade() const;

  std::mutex mutex_;  ///< guards all below
  std::size_t nodes_;
  std::vector<std::uint32_t> numbers_;  ///< [node]: number of objects that it has made
  std::vector<Made> made_;
  std::map<std::pair<std::size_t, Rank>, Description> heard_;  ///< by number and sender
  Attachment attachment_;                                      ///< to node 0
};

}  // namespace toroid
