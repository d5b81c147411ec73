// An exchange of any traffic under any policy, on any fabric: what policies are judged by.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/combining_plan.hpp"
#include "packet/exchange/exchange_case.hpp"
#include "packet/exchange/exchange_part.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/node/node.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// All nodes' parts in it, or those of this process. In this order: construct it; make the nodes
/// with node_options() and the fabric with settings().tying; attach() every node; run the fabric;
/// check().
class PolicyExchange {
 public:
  /// Policy and traffic must outlive it. Throws BadInput where they do not fit each other.
  PolicyExchange(const Policy& policy, const Traffic& traffic, const Shape& shape,
                 const Machine& machine, const PolicyExchangeOptions& options = {});

  const PolicySettings& settings() const { return case_.settings(); }
  NodeOptions node_options() const;
  /// Makes the node's part and gives it the program that runs it. Throws RunFailed where the
  /// policy's order leaves out a node or visits one twice.
  void attach(Node& node);

  /// Throws RunFailed where a packet was lost or arrived twice, with policy, source and destination
  /// where they follow from the sums, or where data is not what was sent. May be called too after
  /// the fabric's run() has thrown.
  void check() const;
  /// Of the packets that reached these nodes, from their injection to their handler, in cycles.
  /// Empty where data travels straight to its destination: such packets have no place for a time.
  LatencyHistogram latency() const;
  /// When the last packet came.
  Tick last_arrival() const;
  /// Sums over the nodes.
  std::uint64_t forwarded() const;
  std::uint64_t acknowledgements() const;

 private:
  void check_sums() const;
  void check_data(const ExchangePart& part) const;
  RunFailed failed(const std::string& what) const;

  ExchangeCase case_;
  std::optional<CombiningPlan> plan_;  ///< where the policy combines
  std::vector<std::unique_ptr<ExchangePart>> parts_;
};

}  // namespace toroid
