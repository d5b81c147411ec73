// The missing messages of an exchange that continued without lost processes.
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

/// The lost processes and the incomplete messages. These are all messages to nodes of lost
/// processes, and those messages from such nodes to other nodes of which packets are missing.
class MissingMessages {
 public:
  /// Maximum number of node pairs in JSON; if there are more, only sums per process pair are given.
  static constexpr std::size_t kMostPairs = 1024;

  /// Collects the losses of the run that has just ended. All processes that are left construct the
  /// object, in the same order; on the process that reports it has the losses of all. Throws
  /// RunFailed like TrafficExchange::check_without(). REQUIRES: a process was lost.
  MissingMessages(const Processes& processes, const Shape& shape, const TrafficExchange& exchange);

  /// {"processes": [{"rank", "why"}], "nodes": [coordinates], "packets", "bytes" (of payload),
  /// "arrived", "between": [{"from_process", "to_process", "messages", "packets", "bytes"}],
  /// "pairs": [{"from", "to", "packets", "bytes"}]}; "pairs" is null if there are too many.
  /// `arrived` is the number of packets that the other nodes have received, as counted by their
  /// devices.
  Json json(std::uint64_t arrived) const;
  /// A line for each lost process.
  std::string text() const;

 private:
  void add_messages_to_lost(const TrafficExchange& exchange);
  Json between_json() const;
  Json pairs_json() const;

  Shape shape_;
  std::vector<LostProcess> processes_;
  std::vector<unsigned> owners_;  ///< [node]: the process that has the node
  std::vector<bool> is_lost_;     ///< [node]
  std::vector<MissingMessage> messages_;
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace toroid
