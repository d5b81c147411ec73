#include "packet/exchange/traffic_exchange.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "hal/checkpoint_archive.hpp"
#include "packet/exchange/combining_plan.hpp"
#include "packet/exchange/endpoint.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/program.hpp"

namespace toroid {
namespace {

/// b, the packets per visit, if neither policy nor changes set it. A run without payload is assumed
/// to be on a model.
std::uint32_t usual_packets_per_visit(const TrafficExchangeOptions& options) {
  if (options.packets_per_visit > 0) return options.packets_per_visit;
  return options.payload ? kCarriedPacketsPerVisit : kModelledPacketsPerVisit;
}

/// Starts the exchange and waits for its packets. An exchange that was loaded from a checkpoint has
/// been started already.
Program run_exchange(Node&, Exchange& exchange) {
  if (exchange.starts() == 0) exchange.start();
  co_await exchange.wait_received();
}

}  // namespace

TrafficExchange::TrafficExchange(const Policy& policy, const Traffic& traffic, const Shape& shape,
                                 const Machine& machine, const TrafficExchangeOptions& options)
    : traffic_(&traffic),
      options_(options),
      plan_(policy, shape, shape,
            settings_of(policy, options.changes, usual_packets_per_visit(options),
                        {shape, machine, traffic}),
            {.seed = options.seed,
             .payload = options.payload,
             .peers = options.peers,
             .name = fmt::format("policy {}", policy.name())}),
      parts_(shape.size()) {
  TOROID_CHECK(options.payload || !options.counts_sources);
  if (plan_.combines()) {
    combining();
    return;
  }
  const Rank sources = traffic.is_uniform_all_to_all() ? 1 : shape.size();
  for (Rank from = 0; from < sources; ++from)
    plan_.check_packets(most_packets(plan_, traffic, from));
}

const CombiningPlan& TrafficExchange::combining() const {
  return plan_.combining(0, 0, [this] { return borrowed(*traffic_); });
}

NodeOptions TrafficExchange::node_options() const {
  return {.seed = options_.seed,
          .settings = plan_.settings(),
          .policy = &plan_.policy(),
          .changes = options_.changes,
          .packets_per_visit = usual_packets_per_visit(options_),
          .transfer = transfer_under(plan_.policy(), plan_.shape(), options_.transfer),
          .named_queues = plan_.named_queues()};
}

TrafficExchange::Part::Part(Node& n, TrafficExchange& all)
    : node(&n),
      messages(all.plan_, *all.traffic_, n.rank(), all.options_.counts_sources),
      exchange(n, all.options_.handler, Group::all(n.shape(), n.rank()), all.plan_, messages) {
  exchange.audit(all.latency_of(n));
}

LatencyHistogram& TrafficExchange::latency_of(const Node& node) {
  if (node.lane() >= latencies_.size()) latencies_.resize(node.lane() + 1);
  return latencies_[node.lane()].histogram;
}

Arrivals TrafficExchange::Part::expected(const TrafficExchange& all) const {
  return all.plan_.combines() ? all.combining().expected(node->rank()) : messages.expected();
}

void TrafficExchange::attach(Node& node) {
  plan_.check_order(plan_.visitor(node.rank(), node.rank()));
  node.run(run_exchange(node, parts_.emplace_back(node, *this).exchange));
}

void TrafficExchange::check() const {
  for (const Part& part : parts_) {
    check_data(part);
    if (plan_.is_sample()) continue;
    const auto wrong = difference(plan_.shape(), part.node->rank(), part.expected(*this),
                                  part.exchange.audited()->arrivals);
    if (wrong) throw failed(*wrong);
  }
  if (parts_.size() == plan_.shape().size()) check_sums();
}

std::vector<MissingMessage> TrafficExchange::check_without(const std::vector<bool>& is_lost) const {
  std::vector<MissingMessage> all;
  for (const Part& part : parts_) {
    const Rank to = part.node->rank();
    for (const Rank from : traffic_->sources(to)) {
      const MessageShare missing = part.messages.missing(from);
      const bool is_whole = missing.packets == 0 && part.messages.data()->is_whole(from);
      if (!is_lost[from] && !is_whole)
        throw failed(fmt::format("{} packets from {} to {} are missing, and neither node is lost",
                                 missing.packets, plan_.shape().coord_text(from),
                                 plan_.shape().coord_text(to)));
      if (missing.packets > 0) all.push_back({from, to, missing.packets, missing.bytes});
    }
  }
  return all;
}

std::string TrafficExchange::needs_all_nodes() const {
  if (plan_.relays() || plan_.combines()) return "packets go by way of other nodes";
  if (plan_.has_window()) return "nodes wait for acknowledgements";
  return "";
}

/// Compares everything that was sent with everything that has arrived.
void TrafficExchange::check_sums() const {
  std::uint64_t sent = 0, received = 0, hash = 0;
  for (const Part& part : parts_) {
    const ExchangeAudit& audit = *part.exchange.audited();
    sent += audit.sent;
    received += audit.arrivals.packets;
    hash += audit.sent_hash - audit.received_hash;
  }
  if (sent != received || hash != 0)
    throw failed(fmt::format("{} packets were sent and {} received, but not each exactly once",
                             sent, received));
}

void TrafficExchange::check_data(const Part& part) const {
  if (part.messages.data() == nullptr) return;
  if (const auto source = part.messages.data()->damaged())
    throw failed(fmt::format("data from {} to {} arrived damaged",
                             plan_.shape().coord_text(*source),
                             plan_.shape().coord_text(part.node->rank())));
}

RunFailed TrafficExchange::failed(const std::string& what) const {
  return RunFailed(
      fmt::format("policy {}, traffic {}: {}", plan_.policy().name(), traffic_->name(), what));
}

LatencyHistogram TrafficExchange::latency() const {
  LatencyHistogram all;
  for (const LaneLatency& lane : latencies_) all += lane.histogram;
  return all;
}

Tick TrafficExchange::last_arrival() const {
  Tick last = 0;
  for (const Part& part : parts_) last = std::max(last, part.exchange.audited()->last_arrival);
  return last;
}

std::uint64_t TrafficExchange::forwarded() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) sum += part.exchange.forwarded();
  return sum;
}

std::uint64_t TrafficExchange::acknowledgements() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) sum += part.exchange.acknowledgements();
  return sum;
}

std::string TrafficExchange::cannot_be_saved() const {
  if (!plan_.combines()) return "";
  return fmt::format("policy {} combines messages, whose state is not plain data",
                     plan_.policy().name());
}

void TrafficExchange::serialize(Archive& archive) {
  constexpr std::uint32_t kNode = 0x45444f4e;
  TOROID_CHECK_EQ(cannot_be_saved(), "");
  TOROID_CHECK_EQ(parts_.size(), std::size_t{plan_.shape().size()});
  for (LaneLatency& lane : latencies_) archive(lane.histogram);
  for (Part& part : parts_) {
    TOROID_CHECK_EQ(part.node->doing(), "");
    archive.mark(kNode);
    archive.begin_objects();
    archive(part.exchange, part.messages, *part.node);
  }
}

}  // namespace toroid
