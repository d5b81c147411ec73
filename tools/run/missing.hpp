// What is missing of an exchange that went on without processes that were lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "tools/run/ofi.hpp"
#include "tools/run/processes.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The lost processes, and the messages of which packets have not reached a node that lives: all
/// messages to nodes of lost processes, and what had not left those nodes.
class Missing {
 public:
  /// Pairs of nodes in JSON at most; of more only the sums of pairs of processes are given.
  static constexpr std::size_t kMostPairs = 1024;

  /// The last run's. All processes that live make it, in the same order; on the process that
  /// reports it is about all of them. Throws RunFailed as TrafficExchange::check_without().
  /// REQUIRES: some process was lost.
  Missing(const Processes& processes, const Shape& shape, const TrafficExchange& exchange);

  /// {"processes": [{"rank", "why"}], "nodes": [coordinates], "packets", "bytes" (of payload),
  /// "arrived", "between": [{"from_process", "to_process", "messages", "packets", "bytes"}],
  /// "pairs": [{"from", "to", "packets", "bytes"}]}; null in the place of too many pairs.
  /// `arrived`: packets that nodes which live have received, by their devices' count.
  Json json(std::uint64_t arrived) const;
  /// A line for each lost process, which names it.
  std::string text() const;

 private:
  void add_messages_to_lost(const TrafficExchange& exchange);
  Json between_json() const;
  Json pairs_json() const;

  Shape shape_;
  std::vector<LostProcess> processes_;
  std::vector<unsigned> owners_;  ///< [node]
  std::vector<bool> is_lost_;     ///< [node]
  std::vector<MissingMessage> messages_;
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace toroid
