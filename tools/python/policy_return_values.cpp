#include "tools/python/policy_return_values.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "tools/python/whole_numbers.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

/// Whether each other node is visited once. This is one quick pass without an explanation of the
/// fault, since nearly all orders are correct.
bool visits_each_once(const Visitor& visitor, const WholeNumbers& peers) {
  const std::uint64_t nodes = visitor.shape.size();
  if (peers.size() + 1 != nodes) return false;
  std::vector<std::uint8_t> seen(nodes, 0);
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const auto peer = static_cast<std::uint64_t>(peers.data()[i]);
    largest = std::max(largest, peer);
    seen[std::min(peer, nodes - 1)] = 1;
  }
  const auto different = std::accumulate(seen.begin(), seen.end(), std::uint64_t{0});
  return largest < nodes && seen[visitor.self] == 0 && different == peers.size();
}

/// Finds the first place with a number that is not a peer or has been visited before; if there is
/// none, the first live node that is left out.
class OrderFault {
 public:
  OrderFault(const Visitor& visitor, const WholeNumbers& peers)
      : visitor_(visitor), peers_(peers), place_(visitor.shape.size(), 0) {}

  /// Describes the fault; empty if there is none.
  std::string text() {
    for (std::size_t i = 0; i < peers_.size(); ++i)
      if (std::string why = at_place(i); !why.empty()) return why;
    return left_out();
  }

 private:
  std::string at_place(std::size_t i) {
    const Rank nodes = visitor_.shape.size();
    const std::int64_t peer = peers_.data()[i];
    if (peer < 0 || peer >= std::int64_t{nodes})
      return fmt::format("visits {} at place {}, which is not a rank from 0 to {}", peers_.shown(i),
                         i, nodes - 1);
    if (peer == std::int64_t{visitor_.self})
      return fmt::format("visits itself at place {}{}", i, expected());
    std::size_t& seen = place_[static_cast<std::size_t>(peer)];
    if (seen != 0)
      return fmt::format("visits {} twice, at places {} and {}{}", peer, seen - 1, i, expected());
    seen = i + 1;
    return "";
  }

  /// Dead nodes may be visited or left out: nothing is sent to them.
  std::string left_out() const {
    for (Rank node = 0; node < visitor_.shape.size(); ++node)
      if (place_[node] == 0 && node != visitor_.self && is_alive(node))
        return fmt::format("has {} peers and leaves out {}{}", peers_.size(), node, expected());
    return "";
  }

  bool is_alive(Rank node) const {
    const auto* const failures = visitor_.shape.failures();
    return failures == nullptr || failures->is_alive(node);
  }

  std::string expected() const {
    const auto* const failures = visitor_.shape.failures();
    const Rank others = (failures == nullptr ? visitor_.shape.size() : failures->living()) - 1;
    return fmt::format("; expected each of the {} other nodes once", others);
  }

  const Visitor& visitor_;
  const WholeNumbers& peers_;
  std::vector<std::size_t> place_;  ///< [node]: place of its visit plus 1; 0 if not visited
};

/// A SendOrder of checked peers. A long order is given as a function, since the exchange does not
/// check the visits of a function again.
SendOrder checked_order(std::vector<Rank> peers) {
  if (peers.size() <= SendOrder::kStoredPeers) return SendOrder(std::move(peers));
  const auto visits = static_cast<Rank>(peers.size());
  const auto kept = std::make_shared<const std::vector<Rank>>(std::move(peers));
  return {visits, [kept](Rank i) { return (*kept)[i]; }};
}

}  // namespace

SendOrder order_of(const Visitor& visitor, const py::object& given) {
  const std::optional<WholeNumbers> peers = whole_numbers(given);
  if (!peers || peers->values.ndim() != 1)
    throw BadInput(fmt::format("returned {}; expected a sequence of {} ranks", type_name(given),
                               visitor.shape.size() - 1));
  if (!visits_each_once(visitor, *peers))
    if (const std::string why = OrderFault(visitor, *peers).text(); !why.empty())
      throw BadInput(why);
  return checked_order({peers->data(), peers->data() + peers->size()});
}

namespace {

/// Converts a table [source, destination] of numbers from 0 to `most`; empty for None. `kind`: what
/// a number is, such as "a rank".
template <typename Number>
std::vector<Number> table_of(const Shape& shape, const py::object& given, Number most,
                             std::string_view kind) {
  if (given.is_none()) return {};
  const Rank nodes = shape.size();
  const std::optional<WholeNumbers> table = whole_numbers(given);
  if (!table || table->values.ndim() != 2 || table->values.shape(0) != nodes ||
      table->values.shape(1) != nodes)
    throw BadInput(fmt::format("expected a table of {} sources by {} destinations", nodes, nodes));
  for (std::size_t i = 0; i < table->size(); ++i)
    if (table->data()[i] < 0 || static_cast<std::uint64_t>(table->data()[i]) > most)
      throw BadInput(fmt::format("row {}, column {}: {} is not {} from 0 to {}", i / nodes,
                                 i % nodes, table->shown(i), kind, most));
  return {table->data(), table->data() + table->size()};
}

}  // namespace

std::vector<Rank> relays_of(const Shape& shape, const py::object& given) {
  return table_of<Rank>(shape, given, shape.size() - 1, "a rank");
}

std::vector<Tick> releases_of(const Shape& shape, const py::object& given) {
  return table_of<Tick>(shape, given, kLastRelease, "a time");
}

}  // namespace toroid::python
