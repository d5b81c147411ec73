// Collective operations of all nodes on a few values: sums, minima, maxima, broadcasts and gathers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {

/// The kinds of collective calls.
enum class CollectiveKind : std::uint8_t { sum, min, max, broadcast, gather, gather_to_root };

/// One collective call, as a node makes it. All members but `result` are the same on all nodes.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::sum;
  Rank root = 0;          ///< of a broadcast, or of a gather to one node
  std::size_t bytes = 0;  ///< of one node's contribution; at most kPayloadBytes
  /// Combines the values of two contributions of a reduction in `into`.
  void (*fold)(std::byte* into, const std::byte* from, std::size_t bytes) = nullptr;
  std::byte* result = nullptr;  ///< where the result goes; null if this node does not get it
  std::uint8_t type = 0;        ///< see collective_type()
};

/// A number below 16 that tells the types of numbers apart.
template <typename T>
constexpr std::uint8_t collective_type() {
  constexpr unsigned kSize = std::bit_width(sizeof(T)) - 1;
  if constexpr (std::floating_point<T>) return 6 + kSize;
  if constexpr (std::integral<T>) return (std::signed_integral<T> ? 4 : 0) + kSize;
  return 15;
}

/// One node's part in collective calls, which follow one another.
///
/// **Tree:** a binomial tree of ranks with root 0. The parent of a rank is the rank without its
/// lowest set bit, so a rank's subtree is a range of ranks that begins with it.
/// **Up:** a node waits for the messages of its children, folds or concatenates them with its own
/// contribution in the order of their ranks, and sends the outcome to its parent.
/// **Down:** node 0 sends the result down the tree. A node that does not get it receives an empty
/// packet.
/// **Invariant:** the result leaves node 0 after every node has begun the call. So no node ends a
/// call before all have begun it, and a node whose call has not ended, or that is between two
/// calls, receives packets only of this call and of the next one. Packets of the next call are kept
/// until this node begins it.
class CollectiveTree {
 public:
  /// `handler` and the number after it belong to this object.
  CollectiveTree(Node& node, HandlerId handler);
  CollectiveTree(const CollectiveTree&) = delete;

  const Node& node() const { return *node_; }
  /// The caller has no access to the calls any more. Ends the run if a call is in progress, because
  /// its result belongs to the caller.
  void release();
  /// Begins a call with this node's contribution, `call.bytes` long. On nodes other than the root
  /// of a broadcast the contribution has no effect. Throws BadInput if the call is too long or its
  /// root does not exist, RunFailed if the call before has not ended.
  void begin(const CollectiveCall& call, std::span<const std::byte> mine);
  bool has_ended() const { return phase_ == Phase::idle; }
  /// "the sum of all nodes"
  std::string text() const;
  /// Room for one contribution, where results of calls without an array of the caller go.
  std::byte* value() { return value_.data(); }
  const std::byte* value() const { return value_.data(); }

  /// A packet from a child, or from the parent.
  void on_up(const Packet& packet);
  void on_down(const Packet& packet);

 private:
  enum class Phase : std::uint8_t { idle, up, down };

  unsigned children() const;
  Rank subtree(Rank rank) const;
  std::size_t bytes_up(Rank from) const;
  std::size_t bytes_down(Rank to) const;
  std::size_t place_of(unsigned child) const;
  void take_up(const Packet& packet);
  void end_up();
  void pass_down(std::size_t index, std::span<const std::byte> piece);
  void note_received(HandlerId handler, Rank from, std::size_t bytes);
  [[noreturn]] void refuse(Rank from) const;

  Node* node_;
  HandlerId up_;    ///< handler of packets to the parent; that of packets to children follows it
  unsigned level_;  ///< number of this node among its parent's children
  CollectiveCall call_;
  std::uint32_t mark_ = 0;  ///< of call_
  Phase phase_ = Phase::idle;
  std::uint64_t missing_ = 0;         ///< packets that have not arrived in this phase
  std::vector<std::byte> collected_;  ///< own contribution, then the children's
  std::vector<Packet> early_;         ///< packets from children for the next call
  std::vector<std::uint32_t> noted_;  ///< packets noted in the record, by child, then the parent's
  alignas(std::max_align_t) std::array<std::byte, kPayloadBytes> value_{};
  Attachment attachment_;
};

/// Awaits the end of a collective call, whose result is then in the caller's array.
class [[nodiscard]] CollectiveAwaiter : public Awaiter {
 public:
  explicit CollectiveAwaiter(const CollectiveTree& tree) : tree_(&tree) {}
  bool ready() override { return tree_->has_ended(); }
  std::string text() const override { return tree_->text(); }

 protected:
  const CollectiveTree* tree_;
};

/// The same for a call with a single value, which co_await returns.
template <typename T>
class [[nodiscard]] CollectiveValueAwaiter final : public CollectiveAwaiter {
 public:
  using CollectiveAwaiter::CollectiveAwaiter;
  T await_resume() const {
    T value;
    std::memcpy(&value, tree_->value(), sizeof value);
    return value;
  }
};

template <typename T>
concept CollectiveNumber = std::is_arithmetic_v<T> && !std::same_as<T, bool>;
template <typename T>
concept CollectiveValue = std::is_trivially_copyable_v<T> && std::default_initializable<T> &&
                          sizeof(T) <= kPayloadBytes;

/// One node's end of the collective operations of all nodes.
///
///   Collectives all(node);                               // before the program's first await
///   const double total = co_await all.sum(mine);         // the same bits on every node
///   co_await all.max(std::span(values));                 // a few values at once, in place
///   const Settings same = co_await all.broadcast(settings, 0);
///   co_await all.gather(mine, std::span(of_all_nodes));  // [rank]
///
/// **Calls:** all nodes make the same calls in the same order, each after the end of the one
/// before; kind, root, and type and number of the values are equal on all nodes. Nothing is needed
/// between two calls. No call ends on a node before all nodes have begun
/// it, so each is a barrier too. If a node receives packets of another call than its own, the run
/// ends with a message that names both nodes.
/// **Results** follow from the contributions and the number of nodes alone, to the last bit, on
/// every fabric with any number of threads: values are always added in the order of the tree. Sums
/// of integers wrap around.
/// **Limits:** a contribution has at most 240 bytes; longer ones throw BadInput.
/// **Time:** a sum or broadcast takes 2 ceil(log2 P) packet times on P nodes, with 2 (P - 1)
/// packets in all. In a gather of b bytes per node, every node passes the bytes of its subtree to
/// its parent, so node 0 receives P b bytes. Then P b bytes travel down every edge of the tree, or,
/// in a gather to a root, down the path to the root. On a model, folding takes no time.
/// **Numbers:** takes two handler numbers (Node::reserve_handlers).
/// **Lifetime:** copies share their state, which the node keeps until the run has ended. Arrays of
/// the caller must live until their call has ended: if the last copy is destroyed before, the run
/// ends.
class Collectives {
 public:
  explicit Collectives(Node& node);

  template <CollectiveNumber T>
  CollectiveValueAwaiter<T> sum(T value) {
    return reduce<CollectiveKind::sum>(value);
  }
  template <CollectiveNumber T>
  CollectiveValueAwaiter<T> min(T value) {
    return reduce<CollectiveKind::min>(value);
  }
  template <CollectiveNumber T>
  CollectiveValueAwaiter<T> max(T value) {
    return reduce<CollectiveKind::max>(value);
  }
  // The same for several values. The results replace them.
  template <CollectiveNumber T, std::size_t n>
  CollectiveAwaiter sum(std::span<T, n> values) {
    return reduce_all<CollectiveKind::sum, T>(values);
  }
  template <CollectiveNumber T, std::size_t n>
  CollectiveAwaiter min(std::span<T, n> values) {
    return reduce_all<CollectiveKind::min, T>(values);
  }
  template <CollectiveNumber T, std::size_t n>
  CollectiveAwaiter max(std::span<T, n> values) {
    return reduce_all<CollectiveKind::max, T>(values);
  }

  /// The value that the root passes; the other nodes' values have no effect.
  template <CollectiveValue T>
  CollectiveValueAwaiter<T> broadcast(const T& value, Rank root) {
    tree_->begin({CollectiveKind::broadcast, root, sizeof value, nullptr, tree_->value(),
                  collective_type<T>()},
                 std::as_bytes(std::span(&value, 1)));
    return CollectiveValueAwaiter<T>(*tree_);
  }
  /// Writes the values of all nodes to `all`, by rank. Throws BadInput if `all` does not have one
  /// place per node.
  template <CollectiveValue T, std::size_t n>
  CollectiveAwaiter gather(const T& value, std::span<T, n> all) {
    check_places(all.size());
    return gather(CollectiveKind::gather, 0, value, all.data());
  }
  /// The same on the root alone. The other nodes' `all` may be empty and is not written.
  template <CollectiveValue T, std::size_t n>
  CollectiveAwaiter gather(const T& value, std::span<T, n> all, Rank root) {
    const bool is_root = tree_->node().rank() == root;
    if (is_root) check_places(all.size());
    return gather(CollectiveKind::gather_to_root, root, value, is_root ? all.data() : nullptr);
  }

 private:
  template <CollectiveNumber T, CollectiveKind kind>
  static T combined(T a, T b) {
    if constexpr (kind == CollectiveKind::min) return std::min(a, b);
    if constexpr (kind == CollectiveKind::max) return std::max(a, b);
    if constexpr (std::floating_point<T>) {
      return a + b;
    } else {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(
          static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
    }
  }
  template <CollectiveNumber T, CollectiveKind kind>
  static void fold(std::byte* into, const std::byte* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
      T a, b;
      std::memcpy(&a, into + at, sizeof a);
      std::memcpy(&b, from + at, sizeof b);
      a = combined<T, kind>(a, b);
      std::memcpy(into + at, &a, sizeof a);
    }
  }
  template <CollectiveKind kind, CollectiveNumber T>
  CollectiveValueAwaiter<T> reduce(T value) {
    tree_->begin({kind, 0, sizeof value, fold<T, kind>, tree_->value(), collective_type<T>()},
                 std::as_bytes(std::span(&value, 1)));
    return CollectiveValueAwaiter<T>(*tree_);
  }
  template <CollectiveKind kind, CollectiveNumber T>
  CollectiveAwaiter reduce_all(std::span<T> values) {
    const std::span<std::byte> bytes = std::as_writable_bytes(values);
    tree_->begin({kind, 0, bytes.size(), fold<T, kind>, bytes.data(), collective_type<T>()}, bytes);
    return CollectiveAwaiter(*tree_);
  }
  template <CollectiveValue T>
  CollectiveAwaiter gather(CollectiveKind kind, Rank root, const T& value, T* all) {
    tree_->begin({kind, root, sizeof value, nullptr, reinterpret_cast<std::byte*>(all),
                  collective_type<T>()},
                 std::as_bytes(std::span(&value, 1)));
    return CollectiveAwaiter(*tree_);
  }
  void check_places(std::size_t places) const;

  /// The node keeps it too, because packets may arrive when the program has ended.
  std::shared_ptr<CollectiveTree> tree_;
};

}  // namespace toroid
