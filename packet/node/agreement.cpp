#include "packet/node/agreement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "hal/check.hpp"
#include "packet/node/node.hpp"

namespace toroid {
namespace {

[[noreturn]] void report(const Shape& shape, std::string_view kind, std::size_t number, Rank a,
                         Rank b, const Agreement::Difference& difference) {
  throw RunFailed(fmt::format(
      "nodes disagree on {} {}: {} is {} on node {} and {} on node {}; make equal {}s in the same "
      "order on all nodes",
      kind, number, difference.field, difference.a, shape.coord_text(a), difference.b,
      shape.coord_text(b), kind));
}

/// A line for each field.
std::string text_of(const Agreement::Fields& fields) {
  std::string text;
  for (const auto& [field, value] : fields) text += field + '\t' + value + '\n';
  return text;
}

Agreement::Fields fields_of(std::string_view text) {
  Agreement::Fields fields;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t tab = std::min(line.find('\t'), line.size());
    fields.emplace_back(line.substr(0, tab), line.substr(std::min(tab + 1, line.size())));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return fields;
}

/// The argument of a packet: the number of the object, of the packet and of all its packets.
struct PartLabel {
  static constexpr unsigned kMostParts = 255;
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 16;
  std::size_t number;
  unsigned part;
  unsigned parts;

  explicit PartLabel(std::uint32_t argument)
      : number(argument >> 16), part(argument >> 8 & 255), parts(argument & 255) {}
  static std::uint32_t pack(std::size_t number, std::size_t part, std::size_t parts) {
    return static_cast<std::uint32_t>(number << 16 | part << 8 | parts);
  }
};

/// A packet's payload begins with its sender.
constexpr std::size_t kPartBytes = kPayloadBytes - sizeof(Rank);

[[noreturn]] void refuse_description() {
  throw RunFailed("received a malformed description of an object");
}

void send_to_node_0(Node& node, std::size_t number, const std::string& text) {
  const std::size_t parts = (text.size() + kPartBytes - 1) / kPartBytes;
  TOROID_CHECK_LE(parts, PartLabel::kMostParts);
  TOROID_CHECK_LT(number, PartLabel::kMostNumbers);
  const Rank self = node.rank();
  std::array<std::byte, kPayloadBytes> payload;
  std::memcpy(payload.data(), &self, sizeof self);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::string piece = text.substr(part * kPartBytes, kPartBytes);
    std::memcpy(payload.data() + sizeof self, piece.data(), piece.size());
    node.post(0, kAgreementHandler, std::span(payload).first(sizeof self + piece.size()),
              PartLabel::pack(number, part, parts));
  }
}

/// The first difference between two descriptions.
std::optional<Agreement::Difference> difference(const Agreement::Fields& a,
                                                const Agreement::Fields& b) {
  const auto [of_a, of_b] = std::ranges::mismatch(a, b);
  if (of_a == a.end() && of_b == b.end()) return {};
  if (of_a != a.end() && of_b != b.end() && of_a->first == of_b->first)
    return {{of_a->first, of_a->second, of_b->second}};
  return {{"its fields", std::to_string(a.size()), std::to_string(b.size()) + " others"}};
}

}  // namespace

Agreement::~Agreement() {
  attachment_.detach(false);
}

void Agreement::hear_others(Node& first) {
  TOROID_CHECK_EQ(first.rank(), 0u);
  attachment_.attach(first, first, "Agreement", std::as_bytes(std::span(this, 1)));
  attachment_.ask_at_end(
      [](const void* self) { return static_cast<const Agreement*>(self)->unmade(); });
  first.on(attachment_, kAgreementHandler, Node::PlainHandler::of<&Agreement::on_packet>(this));
}

/// Returns the number of the object that the node makes now, from 0.
std::size_t Agreement::count(Rank node) {
  if (numbers_.size() <= node) numbers_.resize(node + 1);
  return numbers_[node]++;
}

void Agreement::add(Node& node, std::shared_ptr<const void> object, const Kind& kind) {
  const std::lock_guard lock(mutex_);
  const std::size_t number = count(node.rank());
  if (number == made_.size()) {
    made_.push_back({node.rank(), object});
    if (nodes_ < node.size()) {
      Fields fields = kind.describe(object.get());
      fields.emplace(fields.begin(), "its kind", kind.name);
      describe(node, number, std::move(fields));
    }
  }
  Made& made = made_[number];
  if (made.object != object)
    if (const auto found = kind.compare(made.object.get(), object.get()))
      report(node.shape(), kind.name, number + 1, made.first, node.rank(), *found);
  if (++made.nodes == nodes_) made.object.reset();
}

/// Compares the process's object with those that others have described, or describes it to node 0.
void Agreement::describe(Node& node, std::size_t number, Fields fields) {
  const Fields& mine = made_[number].fields = std::move(fields);
  if (!hears_others()) return send_to_node_0(node, number, text_of(mine));
  const auto begin = heard_.lower_bound({number, 0});
  const auto end = heard_.lower_bound({number + 1, 0});
  for (auto at = begin; at != end; ++at)
    if (at->second.is_complete()) judge(number, at->first.second, at->second);
}

void Agreement::on_packet(const Packet& packet) {
  const PartLabel label(packet.header.argument());
  const auto from = packet.as<Rank>();
  if (from >= attachment_.node()->size()) refuse_description();
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = heard_.try_emplace({label.number, from});
  Description& theirs = at->second;
  theirs.add(label.part, label.parts, packet.bytes().subspan(sizeof from));
  if (label.number < made_.size() && theirs.is_complete()) judge(label.number, from, theirs);
}

void Agreement::Description::add(unsigned part, unsigned of, std::span<const std::byte> piece) {
  if (parts.empty()) parts.resize(of);
  if (piece.empty() || parts.size() != of || part >= of || !parts[part].empty())
    refuse_description();
  parts[part].assign(reinterpret_cast<const char*>(piece.data()), piece.size());
  ++arrived;
}

std::string Agreement::Description::text() const {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

void Agreement::judge(std::size_t number, Rank from, const Description& theirs) const {
  const Made& made = made_[number];
  if (const auto found = difference(fields_of(text_of(made.fields)), fields_of(theirs.text())))
    report(attachment_.node()->shape(), made.fields.front().second, number + 1, made.first, from,
           *found);
}

/// Says what another process has made and this process has not.
std::string Agreement::unmade() const {
  for (const auto& [key, theirs] : heard_) {
    const auto& [number, from] = key;
    if (number < made_.size() || !theirs.is_complete()) continue;
    const std::string kind = fields_of(theirs.text()).front().second;
    return fmt::format(
        "not made {0} {1}, which node {2} has made; make equal {0}s in the same "
        "order on all nodes",
        kind, number + 1, attachment_.node()->shape().coord_text(from));
  }
  return {};
}

}  // namespace toroid
