#include "packet/message_passing/all_to_all.hpp"

#include <algorithm>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "packet/node/node.hpp"

namespace toroid {
namespace {

/// One tag is enough, because calls within a communicator follow one another, and their messages
/// are matched in the same order.
constexpr MessageTag kBlock = 0;

/// Each node has its own random order. If all had a common order, they would all send the same way
/// at the same time.
SendOrder order_of(const Node& node, const Group& group) {
  if (group.size() == 1) return SendOrder(std::vector<Rank>{});
  return {OrderRule::random, group.self(), group.size(), node.private_seed()};
}

}  // namespace

AllToAll::Side::Side(const std::vector<std::uint32_t>& lengths, Rank self)
    : begin(lengths.size() + 1) {
  for (Rank member = 0; member < lengths.size(); ++member)
    begin[member + 1] = begin[member] + (member == self ? 0 : lengths[member]);
  bytes.resize(begin.back());
}

AllToAll::AllToAll(MessagePassing& layer, const Group& group, Communicator communicator,
                   const Lengths& lengths)
    : layer_(&layer),
      group_(group),
      communicator_(communicator),
      order_(order_of(layer.node(), group)),
      to_(lengths.to, group.self()),
      from_(lengths.from, group.self()),
      requests_(std::size_t{2} * group.size()) {
  TOROID_CHECK_EQ(lengths.to.size(), group.size());
  TOROID_CHECK_EQ(lengths.from.size(), group.size());
}

void AllToAll::start() {
  TOROID_CHECK(std::ranges::all_of(requests_, &MessageRequest::done));
  layer_->node().spend(layer_->node().machine().collective_cycles);
  for (const Rank peer : order_)
    if (!block(from_, peer).empty())
      layer_->receive(group_.rank(peer), communicator_, kBlock, block(from_, peer),
                      requests_[peer]);
  for (const Rank peer : order_)
    if (!block(to_, peer).empty())
      layer_->send(group_.rank(peer), communicator_, kBlock, block(to_, peer),
                   requests_[group_.size() + peer]);
}

}  // namespace toroid
