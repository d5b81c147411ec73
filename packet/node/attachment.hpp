// The tie between a node and an object that packets reach: an exchange, a window, a ring shift.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace toroid {

class Node;

/// A member of every object whose handlers a node calls. It tells the node when the object is
/// destroyed, because packets may still come for it: a program's locals end with the program, but
/// its node goes on.
///
/// **Rules:** when the object is destroyed during a run,
/// - a packet for one of its handlers ends the run with a message that names object and node;
/// - the run ends at once if the object has begun something that is not complete, because packets
///   that have not left the node would be read from it.
/// An object may outlive its node. The node's own thread destroys the object during a run, any
/// thread before and after.
class Attachment {
 public:
  /// Not attached to a node.
  Attachment() = default;
  /// `mover`: the node that has the object's handlers: `node`, or its DMA engine. `name`: the
  /// object's class, a string literal. The contexts of the handlers point into `object`.
  template <typename T>
  Attachment(Node& node, Node& mover, const char* name, const T& object) {
    attach(node, mover, name, std::as_bytes(std::span(&object, 1)));
  }
  /// The same for an object whose handlers `node` has.
  template <typename T>
  Attachment(Node& node, const char* name, const T& object)
      : Attachment(node, node, name, object) {}
  Attachment(const Attachment&) = delete;
  ~Attachment() { detach(false); }

  /// `object`: the memory of the whole object; empty if it has no handlers and fills no queues.
  /// REQUIRES: not attached.
  void attach(Node& node, Node& mover, const char* name, std::span<const std::byte> object);
  /// The object's destructor calls this first. `is_busy`: packets of the object have not left the
  /// node, or something else that it has begun is not complete. Then no other worker reads the
  /// arrays of its puts any more when this returns.
  void detach(bool is_busy);
  /// Says what the object has received and no program has taken, or what it still waits for; empty
  /// if nothing.
  using Unclaimed = std::string (*)(const void* object);
  /// Asks `unclaimed` when the run has ended, or when the object is destroyed before that.
  void ask_at_end(Unclaimed unclaimed) { unclaimed_ = unclaimed; }
  /// Null if the object is not attached, or if it has outlived its node.
  Node* node() const { return node_; }

 private:
  friend class Node;
  bool holds(const void* pointer) const;
  bool fills() const;
  void leave_list();

  Node* node_ = nullptr;
  Node* mover_ = nullptr;
  const char* name_ = nullptr;
  std::span<const std::byte> object_;
  Unclaimed unclaimed_ = nullptr;
  // The node's list.
  Attachment* next_ = nullptr;
  Attachment* previous_ = nullptr;
};

}  // namespace toroid
