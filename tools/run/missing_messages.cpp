#include "tools/run/missing_messages.hpp"

#include <fmt/core.h>

#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "packet/traffic/traffic.hpp"
#include "router/job/blob.hpp"

namespace toroid {
namespace {

std::vector<bool> nodes_of(const std::vector<LostProcess>& processes, const Shape& shape) {
  std::vector<bool> is_lost(shape.size(), false);
  for (const LostProcess& process : processes)
    for (const Rank node : process.nodes) is_lost[node] = true;
  return is_lost;
}

Blob packed(const std::vector<MissingMessage>& messages) {
  const auto bytes = std::as_bytes(std::span(messages));
  return {bytes.begin(), bytes.end()};
}

std::vector<MissingMessage> unpacked(const Blob& blob) {
  std::vector<MissingMessage> messages(blob.size() / sizeof(MissingMessage));
  if (!messages.empty()) std::memcpy(messages.data(), blob.data(), blob.size());
  return messages;
}

}  // namespace

MissingMessages::MissingMessages(const Processes& processes, const Shape& shape,
                                 const TrafficExchange& exchange)
    : shape_(shape),
      processes_(lost_processes(processes, shape)),
      owners_(processes_of_nodes(processes, shape)),
      is_lost_(nodes_of(processes_, shape)) {
  for (const Blob& blob : processes.gather(packed(exchange.check_without(is_lost_))))
    for (const MissingMessage& message : unpacked(blob)) messages_.push_back(message);
  if (processes.reports()) add_messages_to_lost(exchange);
  for (const MissingMessage& message : messages_) {
    packets_ += message.packets;
    bytes_ += message.bytes;
  }
}

void MissingMessages::add_messages_to_lost(const TrafficExchange& exchange) {
  const Traffic& traffic = exchange.traffic();
  for (Rank to = 0; to < shape_.size(); ++to) {
    if (!is_lost_[to]) continue;
    for (const Rank from : traffic.sources(to)) {
      const std::uint64_t bytes = traffic.bytes(from, to);
      if (bytes > 0) messages_.push_back({from, to, exchange.plan().packets(bytes), bytes});
    }
  }
}

Json MissingMessages::json(std::uint64_t arrived) const {
  Json processes = Json::array();
  for (const LostProcess& process : processes_)
    processes.push_back({{"rank", process.rank}, {"why", process.why}});
  Json nodes = Json::array();
  for (Rank node = 0; node < shape_.size(); ++node)
    if (is_lost_[node]) nodes.push_back(shape_.coord_text(node));
  return {{"processes", std::move(processes)},
          {"nodes", std::move(nodes)},
          {"packets", packets_},
          {"bytes", bytes_},
          {"arrived", arrived},
          {"between", between_json()},
          {"pairs", messages_.size() > kMostPairs ? Json(nullptr) : pairs_json()}};
}

Json MissingMessages::between_json() const {
  struct Sum {
    std::uint64_t messages = 0;
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
  };
  std::map<std::pair<unsigned, unsigned>, Sum> sums;
  for (const MissingMessage& message : messages_) {
    Sum& sum = sums[{owners_[message.from], owners_[message.to]}];
    ++sum.messages;
    sum.packets += message.packets;
    sum.bytes += message.bytes;
  }
  Json between = Json::array();
  for (const auto& [processes, sum] : sums)
    between.push_back({{"from_process", processes.first},
                       {"to_process", processes.second},
                       {"messages", sum.messages},
                       {"packets", sum.packets},
                       {"bytes", sum.bytes}});
  return between;
}

Json MissingMessages::pairs_json() const {
  Json pairs = Json::array();
  for (const MissingMessage& message : messages_)
    pairs.push_back({{"from", shape_.coord_text(message.from)},
                     {"to", shape_.coord_text(message.to)},
                     {"packets", message.packets},
                     {"bytes", message.bytes}});
  return pairs;
}

std::string MissingMessages::text() const {
  std::string text;
  for (const LostProcess& process : processes_)
    text += fmt::format("toroid: {}; the others continued without it\n", process.why);
  return text;
}

}  // namespace toroid
