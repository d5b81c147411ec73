// One node's part in an exchange under a policy that combines messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hal/fill.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/combining_plan.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/exchange_case.hpp"
#include "packet/exchange/exchange_part.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {

/// Where payload travels, blocks are copied into messages and out of them; the model counts no time
/// for that.
class CombinedExchange final : public ExchangePart {
 public:
  CombinedExchange(Node& node, const ExchangeCase& exchange, const CombiningPlan& plan);

  Program program() override;
  Arrivals expected() const override { return plan_->expected(node().rank()); }

  /// Packs what this stage sends, and sends it.
  void begin(unsigned stage);
  const Counter& received(unsigned stage) const { return received_[stage]; }
  std::uint64_t expected(unsigned stage) const { return plan_->expected(stage, node().rank()); }
  /// Takes apart what has come in this stage. REQUIRES: all of it.
  void end(unsigned stage);

 private:
  using Bytes = std::vector<std::byte>;
  using Blocks = std::map<std::pair<Rank, Rank>, Bytes>;  ///< by origin and destination

  /// What a node sends in one stage.
  class Stage final : public Outgoing, public PayloadSource {
   public:
    Stage(CombinedExchange& exchange, unsigned number);
    bool done() const { return fill_.done(); }
    bool fill(OutputQueues& queues) override;
    std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                         std::span<std::byte, kPayloadBytes> payload) override;

   private:
    SendOrder order() const;
    std::uint32_t most_packets() const;
    std::optional<SendDescriptor> describe(Rank to, std::uint32_t first, std::uint32_t limit);
    CombinedExchange* exchange_;
    unsigned number_;
    std::map<Rank, Bytes> contents_;  ///< by destination; empty where no payload travels
    Fill fill_;
  };

  std::map<Rank, Bytes> pack(unsigned stage);
  void arrive(const Packet& packet);
  void keep(const CombiningPlan::Block& block, std::span<const std::byte> bytes);

  const CombiningPlan* plan_;
  std::vector<Counter> received_;  ///< [stage]
  std::deque<Stage> stages_;       ///< those that have begun; never move: queues refer to them
  Blocks held_;                    ///< that are not at their destination
  std::map<std::pair<unsigned, Rank>, Bytes> incoming_;  ///< messages, by stage and sender
};

}  // namespace toroid
