#include "packet/exchange/traffic_messages.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "hal/packet.hpp"
#include "hal/random.hpp"

namespace toroid {
namespace {

void write(std::span<std::byte> block, std::uint64_t seed, Rank from, Rank to) {
  Random random(seed, std::uint64_t{from} << 32 | to);
  for (std::byte& b : block) b = static_cast<std::byte>(random.next() >> 56);
}

}  // namespace

ExchangeData::Blocks::Blocks(std::vector<Rank> peers, const std::vector<std::uint64_t>& bytes)
    : peers_(std::move(peers)), ends_{0} {
  for (const std::uint64_t b : bytes) ends_.push_back(ends_.back() + b);
  bytes_.resize(ends_.back());
}

std::size_t ExchangeData::Blocks::index(Rank peer) const {
  // If all others are peers, a peer's index is its rank or one less.
  for (const std::size_t guess : {std::size_t{peer}, std::size_t{peer} - 1})
    if (guess < peers_.size() && peers_[guess] == peer) return guess;
  const auto found = std::ranges::lower_bound(peers_, peer);
  TOROID_CHECK(found != peers_.end() && *found == peer);
  return static_cast<std::size_t>(found - peers_.begin());
}

ExchangeData::Blocks ExchangeData::blocks_to(const Traffic& traffic, Rank self) {
  std::vector<Rank> peers = traffic.targets(self);
  std::vector<std::uint64_t> bytes;
  for (const Rank peer : peers) bytes.push_back(traffic.bytes(self, peer));
  return {std::move(peers), bytes};
}

ExchangeData::Blocks ExchangeData::blocks_from(const Traffic& traffic, Rank self) {
  std::vector<Rank> peers = traffic.sources(self);
  std::vector<std::uint64_t> bytes;
  for (const Rank peer : peers) bytes.push_back(traffic.bytes(peer, self));
  return {std::move(peers), bytes};
}

ExchangeData::ExchangeData(const Traffic& traffic, Rank self, std::uint64_t seed)
    : self_(self), seed_(seed), out_(blocks_to(traffic, self)), in_(blocks_from(traffic, self)) {
  for (const Rank peer : out_.peers()) write(out_.block(peer), seed, self, peer);
}

std::optional<Rank> ExchangeData::damaged() const {
  for (const Rank peer : in_.peers())
    if (!is_whole(peer)) return peer;
  return std::nullopt;
}

bool ExchangeData::is_whole(Rank source) const {
  std::vector<std::byte> expected(in_.block(source).size());
  write(expected, seed_, source, self_);
  return std::ranges::equal(expected, in_.block(source));
}

namespace {

/// Refers to a traffic that somebody else owns, for callers that must own a traffic object.
class BorrowedTraffic final : public Traffic {
 public:
  explicit BorrowedTraffic(const Traffic& traffic) : traffic_(&traffic) {}
  std::string_view name() const override { return traffic_->name(); }
  std::uint64_t bytes(Rank from, Rank to) const override { return traffic_->bytes(from, to); }
  std::optional<std::uint64_t> message_bytes() const override { return traffic_->message_bytes(); }
  bool is_uniform_all_to_all() const override { return traffic_->is_uniform_all_to_all(); }
  unsigned all_to_all_inside() const override { return traffic_->all_to_all_inside(); }
  bool has_equal_sources() const override { return traffic_->has_equal_sources(); }
  std::vector<Rank> targets(Rank from) const override { return traffic_->targets(from); }
  std::vector<Rank> sources(Rank to) const override { return traffic_->sources(to); }
  Rank draw(Rank from, Random& random) const override { return traffic_->draw(from, random); }

 private:
  const Traffic* traffic_;
};

}  // namespace

std::unique_ptr<const Traffic> borrowed(const Traffic& traffic) {
  return std::make_unique<BorrowedTraffic>(traffic);
}

std::uint64_t most_packets(const ExchangePlan& plan, const Traffic& traffic, Rank from) {
  if (plan.shape().size() == 1) return 0;
  if (const auto bytes = traffic.message_bytes()) return plan.packets(*bytes);
  std::uint64_t most = 0;
  for (const Rank to : traffic.targets(from)) most = std::max(most, traffic.bytes(from, to));
  return plan.packets(most);
}

TrafficMessages::TrafficMessages(const ExchangePlan& plan, const Traffic& traffic, Rank self,
                                 bool counts_sources)
    : plan_(&plan), traffic_(&traffic), self_(self), bytes_(traffic.message_bytes()) {
  if (bytes_) cut_ = MessageCut(*bytes_, plan.data_bytes());
  if (is_counted()) expected_ = sum_of_sources();
  if (has_payload()) data_ = std::make_unique<ExchangeData>(traffic, self, plan.format().seed);
  if (counts_sources) received_.resize(plan.shape().size());
}

std::optional<std::vector<Rank>> TrafficMessages::targets() const {
  if (traffic_->is_uniform_all_to_all()) return std::nullopt;
  return traffic_->targets(self_);
}

std::uint32_t TrafficMessages::most_packets() const {
  return static_cast<std::uint32_t>(toroid::most_packets(*plan_, *traffic_, self_));
}

std::uint32_t TrafficMessages::gather(Rank member, std::uint32_t packet,
                                      std::span<std::byte> payload) const {
  copy_payload(payload.data(), data_->to(member).data() + std::size_t{packet} * plan_->data_bytes(),
               payload.size());
  return 0;
}

void TrafficMessages::arrive(Rank from, std::uint32_t packet, std::span<const std::byte> payload) {
  copy_payload(data_->from(from).data() + std::size_t{packet} * plan_->data_bytes(), payload.data(),
               payload.size());
  if (received_.empty()) return;
  ++received_[from].packets;
  received_[from].bytes += payload.size();
}

MessageShare TrafficMessages::missing(Rank source) const {
  const std::uint64_t bytes = traffic_->bytes(source, self_);
  const MessageShare& received = received_.at(source);
  return {plan_->packets(bytes) - received.packets, bytes - received.bytes};
}

std::uint32_t TrafficMessages::packets_to_put(Rank member) const {
  if (!has_payload()) return 0;
  return bytes_ ? cut_.packets() : static_cast<std::uint32_t>(plan_->packets(bytes_to(member)));
}

std::size_t TrafficMessages::take(Rank from, std::uint32_t first, std::uint32_t packets,
                                  const std::byte* source) {
  check_put();
  const std::span<std::byte> block = data_->from(from);
  return copy_packets(cut_of(block.size()), first, packets, source, block);
}

std::size_t TrafficMessages::pack_part(const MessagePart& part, std::span<std::byte> packed) const {
  const std::span<const std::byte> block = data_->to(part.member);
  return pack_packets(cut_of(block.size()), part, block.data(), packed);
}

bool TrafficMessages::unpack_part(const MessagePart& part, std::span<const std::byte> packed) {
  check_put();
  if (!has_payload() || traffic_->bytes(part.member, self_) == 0) return false;
  const std::span<std::byte> block = data_->from(part.member);
  return unpack_packets(cut_of(block.size()), part, packed, block);
}

std::span<const std::byte> TrafficMessages::offer_part(const MessagePart& part,
                                                       std::size_t least) const {
  const std::span<const std::byte> block = data_->to(part.member);
  return part_if_long(cut_of(block.size()), part, block.data(), least);
}

bool TrafficMessages::land_part(const MessagePart& part, std::vector<PutStretch>& landing) {
  check_put();
  if (!has_payload() || traffic_->bytes(part.member, self_) == 0) return false;
  const std::span<std::byte> block = data_->from(part.member);
  return land_packets(cut_of(block.size()), part, block, landing);
}

std::unique_ptr<const Traffic> TrafficMessages::traffic(std::uint64_t) const {
  return borrowed(*traffic_);
}

void TrafficMessages::pack(Rank member, std::vector<std::byte>& bytes) const {
  const auto block = data_->to(member);
  bytes.insert(bytes.end(), block.begin(), block.end());
}

void TrafficMessages::unpack(Rank from, std::span<const std::byte> bytes) {
  std::ranges::copy(bytes, data_->from(from).begin());
}

Arrivals TrafficMessages::sum_of_sources() const {
  if (traffic_->has_equal_sources()) return sum_of_equals();
  Arrivals sum;
  for (const Rank from : traffic_->sources(self_))
    sum.add(from, 0, plan_->packets(bytes_ ? *bytes_ : traffic_->bytes(from, self_)));
  return sum;
}

/// Computes the sums in closed form. All other nodes send the same number of bytes.
Arrivals TrafficMessages::sum_of_equals() const {
  const std::uint64_t n = plan_->shape().size();
  if (n == 1) return {};
  const std::uint64_t k = plan_->packets(traffic_->bytes(self_ == 0 ? 1 : 0, self_));
  if (k == 0) return {};
  const std::uint64_t own = std::uint64_t{self_} + 1;
  return {.packets = (n - 1) * k,
          .origins = (n * (n + 1) / 2 - own) * k,
          .squares = (n * (n + 1) * (2 * n + 1) / 6 - own * own) * k,
          .numbers = (n - 1) * (k * (k - 1) / 2)};
}

}  // namespace toroid
