// The part of an exchange that combines messages: in each stage, everything that one node sends to
// another node travels as one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "hal/fill.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/combining_plan.hpp"
#include "packet/exchange/endpoint.hpp"
#include "packet/node/node.hpp"

namespace toroid {

class Exchange;

/// One node's stages of an exchange. A stage begins when all packets of the previous stage have
/// come. If payload travels, blocks are copied into messages and out of them; the model counts no
/// time for that.
///
/// Packets of the next start may come before this node starts it. Their senders have then finished
/// the current start, so all packets of the current start have already reached this node. Hence the
/// counts of a start are cleared as soon as it is complete, and later packets count for the next
/// start.
class Combiner {
 public:
  explicit Combiner(Exchange& exchange);

  /// Packs the messages of stage 0 and sends them.
  void start();
  void arrive(std::uint32_t id, std::span<const std::byte> data);

 private:
  using Bytes = std::vector<std::byte>;
  using Blocks = std::map<std::pair<Rank, Rank>, Bytes>;  ///< by origin and destination

  /// The messages that a node sends in one stage. A message is identified by its place in the
  /// plan's list.
  class Stage final : public Outgoing, public PayloadSource {
   public:
    Stage(Combiner& combiner, unsigned number);
    bool left() const { return fill_.done() && queued_ == 0; }
    bool filled() const { return fill_.done(); }
    bool fill(OutputQueues& queues) override;
    void prefetch() const override { fill_.prefetch(); }
    std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                         std::span<std::byte, kPayloadBytes> payload) override;

   private:
    SendOrder order() const;
    Fill make_fill() const;
    std::uint32_t place_of(Rank to) const;
    SendDescriptor describe(std::uint32_t place, std::uint32_t first, std::uint32_t limit);
    Combiner* combiner_;
    const CombiningPlan* plan_;
    const std::vector<CombiningPlan::Message>* messages_;
    unsigned number_;
    std::uint64_t queued_ = 0;  ///< packets that are queued and have not been gathered yet
    Fill fill_;
    std::vector<Bytes> contents_;  ///< [place of the message]; empty if no payload travels
  };

  const CombiningPlan& plan_of(std::uint64_t start) const;
  void begin(unsigned stage);
  void end(unsigned stage);
  void advance();
  void note_left();
  void keep(const CombiningPlan::Block& block, std::span<const std::byte> bytes);
  std::vector<Bytes> pack(unsigned stage);
  Endpoint& end() const;

  Exchange* exchange_;
  unsigned all_stages_;
  const CombiningPlan* plan_ = nullptr;  ///< of the current start
  unsigned stage_;                       ///< the current stage; all_stages_ if there is none
  std::uint64_t expected_ = 0;           ///< packets that reach this node in the current stage
  std::vector<std::uint64_t> received_;  ///< [stage]: number of packets received, for the current
                                         ///< start or, if that is complete, for the next one
  std::deque<Stage> stages_;             ///< stages begun in this start; they never move, because
                                         ///< queues refer to them
  Blocks held_;                          ///< blocks that have come here and go on to other nodes
  std::map<std::pair<unsigned, Rank>, Bytes> incoming_;  ///< messages, by stage and sender
};

}  // namespace toroid
