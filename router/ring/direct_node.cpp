#include "router/ring/direct_node.hpp"

#include <utility>

namespace toroid::ring {
namespace {

/// The one channel that the rings of a switch have.
constexpr unsigned kOnly = 0;

}  // namespace

DirectNode::DirectNode(const Machinery& machinery, Rank rank, std::span<const LinkMemory> inward,
                       std::span<LinkSender> outward)
    : RingNode(machinery, rank), out_(outward) {
  for (const LinkMemory& memory : inward) in_.emplace_back(memory);
}

bool DirectNode::has_news() const {
  bool news = false;
  for (const LinkReceiver& link : in_) news |= link.has_news();
  return news;
}

bool DirectNode::look() {
  bool news = false;
  for (LinkReceiver& link : in_) {
    const unsigned before = link.waiting(kOnly);
    if (!link.look()) continue;
    news = true;
    waiting_ += link.waiting(kOnly) - before;
  }
  return news;
}

/// FIFO by FIFO, each as far as its head finds room.
void DirectNode::forward() {
  for (unsigned f = 0; f < fifo_count(); ++f)
    while (!fifo(f).empty() && send_one(f)) continue;
  if (LinkSender* link = std::exchange(unpublished_, nullptr)) link->publish();
}

bool DirectNode::send_one(unsigned f) {
  LinkSender& link = out_[fifo(f).front().header.destination()];
  if (link.room(kOnly) == 0 && !link.refresh()) return false;
  write_front(f, link.back(kOnly));
  link.push(kOnly);
  count_hop();
  if (unpublished_ != &link && unpublished_ != nullptr) unpublished_->publish();
  unpublished_ = &link;
  return true;
}

std::size_t DirectNode::receive(PacketSink& sink, std::size_t limit) {
  std::size_t count = 0;
  for (LinkReceiver& link : in_)
    for (; count < limit && link.waiting(kOnly) > 0; ++count) {
      --waiting_;
      count_delivered();
      sink.arrive(link.front(kOnly));
      link.pop(kOnly);
    }
  return count;
}

void DirectNode::give_back() {
  for (LinkReceiver& link : in_) link.publish();
}

bool DirectNode::holds_packets() const {
  bool any = false;
  for (unsigned f = 0; f < fifo_count(); ++f) any |= !fifo(f).empty();
  return any;
}

}  // namespace toroid::ring
