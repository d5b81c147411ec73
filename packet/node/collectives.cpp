#include "packet/node/collectives.hpp"

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "hal/check.hpp"

namespace toroid {
namespace {

constexpr std::array<std::string_view, 6> kKindNames = {"sum",       "minimum", "maximum",
                                                        "broadcast", "gather",  "gather to a root"};

/// The argument of a packet: the number of the packet in its message, a mark of the call, and the
/// number of the sender among the children of the receiver.
struct Label {
  static constexpr unsigned kChildBits = 5, kMarkBits = 11;
  static constexpr std::size_t kMostPackets = std::size_t{1} << (32 - kChildBits - kMarkBits);
  std::uint32_t index;
  std::uint32_t mark;
  unsigned child;

  explicit Label(std::uint32_t argument)
      : index(argument >> (kChildBits + kMarkBits)),
        mark(argument >> kChildBits & ((1u << kMarkBits) - 1)),
        child(argument & ((1u << kChildBits) - 1)) {}
  static std::uint32_t pack(std::size_t index, std::uint32_t mark, unsigned child) {
    return static_cast<std::uint32_t>(index << (kChildBits + kMarkBits)) | mark << kChildBits |
           child;
  }
};

/// What must be equal on all nodes, besides the number of bytes: the kind, the type, and of the
/// root four bits, which differ for roots that are close to each other.
std::uint32_t mark_of(const CollectiveCall& call) {
  std::uint32_t root = 0;
  for (Rank rest = call.root; rest > 0; rest >>= 4) root ^= rest & 15;
  return static_cast<std::uint32_t>(call.kind) << 8 | std::uint32_t{call.type} << 4 | root;
}

/// Number of packets of a message; an empty message takes one.
std::size_t packets_of(std::size_t bytes) {
  return std::max<std::size_t>(1, packets_for(bytes));
}

/// Bytes of packet `index` of a message. REQUIRES: index < packets_of(bytes).
std::size_t bytes_of_packet(std::size_t bytes, std::size_t index) {
  return std::min<std::size_t>(kPayloadBytes, bytes - index * kPayloadBytes);
}

/// Whether the packet fits the message of this many bytes to which it should belong.
bool fits(const Packet& packet, std::size_t index, std::size_t bytes) {
  return index < packets_of(bytes) &&
         packet.header.payload_bytes() == bytes_of_packet(bytes, index);
}

bool is_reduction(CollectiveKind kind) {
  return kind <= CollectiveKind::max;
}

Rank child_of(Rank parent, unsigned number) {
  return parent + (Rank{1} << number);
}

Rank parent_of(Rank rank) {
  return rank & (rank - 1);
}

}  // namespace

CollectiveTree::CollectiveTree(Node& node, HandlerId handler)
    : node_(&node),
      up_(handler),
      level_(static_cast<unsigned>(std::countr_zero(node.rank()))),
      noted_(children() + 1),
      attachment_(node, "Collectives", *this) {
  using Handler = Node::PlainHandler;
  node.on(attachment_, up_, Handler::of<&CollectiveTree::on_up>(this));
  node.on(attachment_, static_cast<HandlerId>(up_ + 1),
          Handler::of<&CollectiveTree::on_down>(this));
}

std::string CollectiveTree::text() const {
  return fmt::format("the {} of all nodes", kKindNames[static_cast<std::size_t>(call_.kind)]);
}

/// Number of ranks in the subtree of `rank`, which begins with it.
Rank CollectiveTree::subtree(Rank rank) const {
  const Rank rest = node_->size() - rank;
  return rank == 0 ? rest : std::min(rest, Rank{1} << std::countr_zero(rank));
}

unsigned CollectiveTree::children() const {
  return static_cast<unsigned>(std::bit_width(subtree(node_->rank()) - 1));
}

/// Length of the message of node `from` to its parent.
std::size_t CollectiveTree::bytes_up(Rank from) const {
  const bool has_root = call_.root - from < subtree(from);
  if (is_reduction(call_.kind)) return call_.bytes;
  if (call_.kind == CollectiveKind::broadcast) return has_root ? call_.bytes : 0;
  return subtree(from) * call_.bytes;
}

/// Length of the message to node `to` from its parent.
std::size_t CollectiveTree::bytes_down(Rank to) const {
  const bool has_root = call_.root - to < subtree(to);
  if (is_reduction(call_.kind) || call_.kind == CollectiveKind::broadcast) return call_.bytes;
  return call_.kind == CollectiveKind::gather || has_root ? node_->size() * call_.bytes : 0;
}

/// Where the message of a child begins in collected_.
std::size_t CollectiveTree::place_of(unsigned child) const {
  if (is_reduction(call_.kind)) return (child + 1) * call_.bytes;
  return call_.kind == CollectiveKind::broadcast ? 0 : (std::size_t{1} << child) * call_.bytes;
}

void CollectiveTree::begin(const CollectiveCall& call, std::span<const std::byte> mine) {
  if (!has_ended())
    throw RunFailed(
        "a collective call began before the one before had ended; use co_await on every call");
  const Rank self = node_->rank();
  const std::string_view name = kKindNames[static_cast<std::size_t>(call.kind)];
  if (mine.size() > kPayloadBytes)
    throw BadInput(fmt::format("a {} takes at most {} bytes from each node, not {}", name,
                               kPayloadBytes, mine.size()));
  if (call.root >= node_->size())
    throw BadInput(fmt::format("the root of a {} is a node from 0 to {}, not {}", name,
                               node_->size() - 1, call.root));
  call_ = call;
  mark_ = mark_of(call);
  if (packets_of(bytes_down(0)) > Label::kMostPackets)
    throw BadInput(fmt::format("a {} of {} bytes in all; expected at most {}", name, bytes_down(0),
                               Label::kMostPackets * kPayloadBytes));
  phase_ = Phase::up;
  const bool contributes = call.kind != CollectiveKind::broadcast || self == call.root;
  collected_.resize(is_reduction(call.kind) ? place_of(children())
                                            : std::max(bytes_up(self), call.bytes));
  if (contributes && !mine.empty()) std::memcpy(collected_.data(), mine.data(), mine.size());
  missing_ = 0;
  for (unsigned k = 0; k < children(); ++k) missing_ += packets_of(bytes_up(child_of(self, k)));
  if (missing_ == 0) return end_up();
  for (const Packet& packet : std::exchange(early_, {})) take_up(packet);
}

void CollectiveTree::on_up(const Packet& packet) {
  phase_ == Phase::up ? take_up(packet) : early_.push_back(packet);
}

void CollectiveTree::take_up(const Packet& packet) {
  const Label label(packet.header.argument());
  if (label.child >= children()) refuse(node_->rank());
  const Rank from = child_of(node_->rank(), label.child);
  if (label.mark != mark_ || !fits(packet, label.index, bytes_up(from))) refuse(from);
  std::byte* const place = collected_.data() + place_of(label.child);
  copy_payload(place + label.index * kPayloadBytes, packet.payload.data(),
               packet.header.payload_bytes());
  if (--missing_ == 0) end_up();
}

/// Folds the children's contributions and sends the outcome to the parent. On node 0 the outcome is
/// the result.
void CollectiveTree::end_up() {
  const Rank self = node_->rank();
  for (unsigned k = 0; k < children(); ++k) {
    if (call_.fold != nullptr)
      call_.fold(collected_.data(), collected_.data() + place_of(k), call_.bytes);
    note_received(up_, child_of(self, k), bytes_up(child_of(self, k)));
  }
  const std::size_t bytes = self == 0 ? bytes_down(0) : bytes_up(self);
  phase_ = Phase::down;
  missing_ = packets_of(bytes_down(self));
  for (std::size_t index = 0; index < packets_of(bytes); ++index) {
    const auto piece = std::span<const std::byte>(collected_)
                           .subspan(index * kPayloadBytes, bytes_of_packet(bytes, index));
    if (self == 0)
      pass_down(index, piece);
    else
      node_->post(parent_of(self), up_, piece, Label::pack(index, mark_, level_));
  }
}

void CollectiveTree::on_down(const Packet& packet) {
  const Label label(packet.header.argument());
  if (phase_ != Phase::down || label.mark != mark_ ||
      !fits(packet, label.index, bytes_down(node_->rank())))
    refuse(parent_of(node_->rank()));
  pass_down(label.index, packet.bytes());
}

/// Sends a packet of the result to the children, the one with the largest subtree first, and stores
/// it here.
void CollectiveTree::pass_down(std::size_t index, std::span<const std::byte> piece) {
  const std::uint32_t label = Label::pack(index, mark_, 0);
  for (unsigned k = children(); k-- > 0;) {
    const Rank child = child_of(node_->rank(), k);
    const bool gets = bytes_down(child) > 0;
    if (gets || index == 0)
      node_->post(child, static_cast<HandlerId>(up_ + 1),
                  gets ? piece : std::span<const std::byte>(), label);
  }
  if (call_.result != nullptr && !piece.empty())
    std::memcpy(call_.result + index * kPayloadBytes, piece.data(), piece.size());
  if (--missing_ > 0) return;
  phase_ = Phase::idle;
  if (node_->rank() != 0)
    note_received(static_cast<HandlerId>(up_ + 1), parent_of(node_->rank()),
                  bytes_down(node_->rank()));
}

/// Notes in the node's record, if there is one, that a message has arrived.
void CollectiveTree::note_received(HandlerId handler, Rank from, std::size_t bytes) {
  if (node_->record() == nullptr) return;
  const bool is_up = handler == up_;
  const auto child = static_cast<std::size_t>(std::countr_zero(from ^ node_->rank()));
  std::uint32_t& count = is_up ? noted_[child] : noted_.back();
  count += static_cast<std::uint32_t>(packets_of(bytes));
  node_->record()->received(node_->now(), handler, from, count);
}

void CollectiveTree::refuse(Rank from) const {
  const Shape& shape = node_->shape();
  throw RunFailed(
      fmt::format("the nodes make different collective calls: a packet from node {} does not "
                  "belong to the {} of node {}; kind, root, and type and number of the values must "
                  "be equal",
                  shape.coord_text(from), kKindNames[static_cast<std::size_t>(call_.kind)],
                  shape.coord_text(node_->rank())));
}

Collectives::Collectives(Node& node) {
  const auto tree = std::make_shared<CollectiveTree>(node, node.reserve_handlers(2));
  node.keep(tree);
  tree_ = {tree.get(), [tree](CollectiveTree* last) { last->release(); }};
}

/// The node keeps the tree, because packets of the next call may still come.
void CollectiveTree::release() {
  if (!has_ended()) attachment_.detach(true);
}

void Collectives::check_places(std::size_t places) const {
  if (places != tree_->node().size())
    throw BadInput(fmt::format("a gather needs one place per node, {} places, not {}",
                               tree_->node().size(), places));
}

}  // namespace toroid
