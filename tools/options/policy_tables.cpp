#include "tools/options/policy_tables.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "hal/check.hpp"
#include "hal/route.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "tools/files/npy.hpp"

namespace toroid {
namespace {

/// The latest release time. With this limit, sums of a release time and other times fit into a
/// Tick.
constexpr auto kLatest = std::int64_t{kLastRelease};  // cycles

std::string extents_text(const std::vector<std::size_t>& shape) {
  if (shape.empty()) return "a single number";
  if (shape.size() == 1) return fmt::format("{} numbers in a row", shape.front());
  return fmt::format("{}", fmt::join(shape, " x "));
}

using Extents = std::vector<std::size_t>;

/// One table as it was read, and the name of its file for messages.
class RankTable {
 public:
  RankTable(const Shape& shape, const std::string& path)
      : shape_(shape), path_(path), integers_(read_npy_integers(path)) {}

  const Extents& extents() const { return integers_.shape; }
  const std::vector<std::int64_t>& values() const { return integers_.values; }
  Rank nodes() const { return shape_.size(); }

  [[noreturn]] void refuse_extents(const std::string& expected) const {
    throw BadInput(one_line(fmt::format("{}: {}; expected {} for torus {}", path_,
                                        extents_text(integers_.shape), expected, shape_.text())));
  }
  /// `what` is "row" or "entry".
  [[noreturn]] void refuse(std::string_view what, std::size_t number,
                           const std::string& why) const {
    throw BadInput(one_line(fmt::format("{}, {} {}: {}", path_, what, number, why)));
  }
  std::string each_other_once() const {
    return fmt::format("expected each of the other {} nodes once", nodes() - 1);
  }

 private:
  const Shape& shape_;
  const std::string& path_;
  NpyIntegers integers_;
};

/// Checks that a row has every node once, except the node to which the row belongs.
void check_order_row(const RankTable& table, Rank self) {
  const std::size_t peers = table.nodes() - 1;
  std::vector<bool> visited(table.nodes(), false);
  for (std::size_t visit = 0; visit < peers; ++visit) {
    const std::int64_t to = table.values()[self * peers + visit];
    if (to < 0 || to >= table.nodes())
      table.refuse("row", self,
                   fmt::format("node {} at visit {}; expected nodes from 0 to {}", to, visit,
                               table.nodes() - 1));
    const auto peer = static_cast<Rank>(to);
    if (peer == self)
      table.refuse(
          "row", self,
          fmt::format("node {} itself at visit {}; {}", to, visit, table.each_other_once()));
    if (visited[peer])
      table.refuse("row", self, fmt::format("node {} twice; {}", to, table.each_other_once()));
    visited[peer] = true;
  }
}

std::vector<Rank> ranks_of(const RankTable& table) {
  std::vector<Rank> ranks(table.values().size());
  std::ranges::transform(table.values(), ranks.begin(),
                         [](std::int64_t value) { return static_cast<Rank>(value); });
  return ranks;
}

std::vector<Rank> order_of(const RankTable& table) {
  for (Rank self = 0; self < table.nodes(); ++self) check_order_row(table, self);
  return ranks_of(table);
}

std::int64_t modulo(std::int64_t value, std::int64_t n) {
  const std::int64_t rest = value % n;
  return rest < 0 ? rest + n : rest;
}

/// The offset as coordinates; offsets of ranks are converted.
Coord offset_of(const RankTable& table, const Shape& shape, std::size_t entry) {
  if (table.extents().size() == 1)
    return shape.coord(static_cast<Rank>(modulo(table.values()[entry], shape.size())));
  Coord offset;
  for (unsigned d = 0; d < shape.dims(); ++d)
    offset[d] = static_cast<std::uint8_t>(
        modulo(table.values()[entry * shape.dims() + d], shape.extent(d)));
  return offset;
}

std::vector<Coord> offsets_of(const RankTable& table, const Shape& shape) {
  std::vector<Coord> offsets(shape.size() - 1);
  std::vector<bool> taken(shape.size(), false);
  for (std::size_t entry = 0; entry < offsets.size(); ++entry) {
    offsets[entry] = offset_of(table, shape, entry);
    const Rank rank = shape.rank(offsets[entry]);
    if (rank == 0)
      table.refuse("entry", entry,
                   fmt::format("leads to the node itself; {}", table.each_other_once()));
    if (taken[rank])
      table.refuse(
          "entry", entry,
          fmt::format("leads to the same node as an earlier entry; {}", table.each_other_once()));
    taken[rank] = true;
  }
  return offsets;
}

/// Calls check(from, to, value) for each pair.
template <typename Check>
void for_each_pair(const RankTable& table, const Check& check) {
  const std::size_t n = table.nodes();
  for (Rank from = 0; from < n; ++from)
    for (Rank to = 0; to < n; ++to) check(from, to, table.values()[from * n + to]);
}

/// Refuses a table that does not have one number per pair of nodes. `of` is what the numbers are:
/// "relays" or "cycles".
void check_square(const RankTable& table, std::string_view of) {
  const std::size_t n = table.nodes();
  if (table.extents() == Extents{n, n}) return;
  table.refuse_extents(fmt::format("{0} x {0} {1} (sources x destinations)", n, of));
}

std::vector<Rank> relays_of(const RankTable& table) {
  check_square(table, "relays");
  for_each_pair(table, [&](Rank from, Rank to, std::int64_t relay) {
    if (relay < 0 || relay >= table.nodes())
      table.refuse("row", from,
                   fmt::format("relay {} to node {}; expected nodes from 0 to {}", relay, to,
                               table.nodes() - 1));
  });
  return ranks_of(table);
}

std::vector<Tick> releases_of(const RankTable& table) {
  check_square(table, "cycles");
  for_each_pair(table, [&](Rank from, Rank to, std::int64_t cycle) {
    if (cycle < 0 || cycle > kLatest)
      table.refuse(
          "row", from,
          fmt::format("cycle {} to node {}; expected cycles from 0 to {}", cycle, to, kLatest));
  });
  std::vector<Tick> releases(table.values().size());
  std::ranges::transform(table.values(), releases.begin(),
                         [](std::int64_t value) { return static_cast<Tick>(value); });
  return releases;
}

/// Whether every relay is on a shortest path from its source to its destination.
bool all_on_shortest_ways(const Shape& shape, const std::vector<Rank>& relays) {
  if (shape.is_twisted()) return false;
  const std::size_t n = shape.size();
  for (Rank from = 0; from < n; ++from)
    for (Rank to = 0; to < n; ++to) {
      const Coord a = shape.coord(from), b = shape.coord(to);
      const Coord relay = shape.coord(relays[from * n + to]);
      if (from != to && minimal_hops(shape, a, relay) + minimal_hops(shape, relay, b) !=
                            minimal_hops(shape, a, b))
        return false;
    }
  return true;
}

Coord sum(const Shape& shape, const Coord& a, const Coord& b) {
  Coord sum;
  for (unsigned d = 0; d < shape.dims(); ++d)
    sum[d] = static_cast<std::uint8_t>((unsigned{a[d]} + b[d]) % shape.extent(d));
  return sum;
}

std::map<TableKey, std::size_t> index_by_shape(const std::vector<PolicyTables>& all) {
  std::map<TableKey, std::size_t> index;
  for (std::size_t i = 0; i < all.size(); ++i) index.emplace(TableKey(all[i].shape()), i);
  return index;
}

/// The lines, planes, ... of the machine, each shape once: all groups of several nodes in which a
/// transform may exchange, except the whole machine.
std::map<TableKey, Shape> lines_and_planes_of(const Shape& machine) {
  std::map<TableKey, Shape> parts;
  for (unsigned first = 0; first < machine.dims(); ++first)
    for (unsigned last = first + 1; last <= machine.dims(); ++last)
      if (const Shape part = machine.slice(first, last);
          1 < part.size() && part.size() < machine.size())
        parts.emplace(TableKey(part), part);
  return parts;
}

}  // namespace

std::string text_of_toruses(std::span<const Shape> shapes) {
  std::vector<std::string> texts;
  for (const Shape& shape : shapes) texts.push_back(shape.text());
  return fmt::format("{} {}", texts.size() == 1 ? "torus" : "tori", fmt::join(texts, ", "));
}

TableKey::TableKey(const Shape& shape) {
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const bool wraps = shape.extent(d) > 1 && shape.wraps(d);
    dimensions_[d] = static_cast<std::uint16_t>(2 * shape.extent(d) + (wraps ? 1 : 0));
  }
  if (!shape.is_twisted()) return;
  for (unsigned d = 0; d < shape.dims(); ++d)
    for (unsigned e = 0; e < shape.dims(); ++e)
      twists_[d][e] = static_cast<std::uint8_t>(shape.twist(d, e));
}

std::vector<std::string> PolicyTableFiles::paths() const {
  std::vector<std::string> paths;
  for (const std::string& path : {order, relays, release})
    if (!path.empty()) paths.push_back(path);
  return paths;
}

PolicyTables::PolicyTables(const Shape& shape, const PolicyTableFiles& files) : shape_(shape) {
  const std::size_t n = shape.size();
  if (!files.order.empty()) {
    const RankTable table(shape, files.order);
    const Extents& extents = table.extents();
    offsets_of_ranks_ = extents == Extents{n - 1};
    if (extents == Extents{n, n - 1})
      order_ = order_of(table);
    else if (offsets_of_ranks_ || extents == Extents{n - 1, shape.dims()})
      offsets_ = offsets_of(table, shape);
    else
      table.refuse_extents(fmt::format(
          "{} x {} nodes (nodes x peers), {} offsets of ranks, or {} x {} offsets of coordinates",
          n, n - 1, n - 1, n - 1, shape.dims()));
  }
  if (!files.relays.empty()) {
    relays_ = relays_of(RankTable(shape, files.relays));
    keeps_to_shortest_ways_ = all_on_shortest_ways(shape, relays_);
  }
  if (!files.release.empty()) releases_ = releases_of(RankTable(shape, files.release));
}

SendOrder PolicyTables::order(Rank self) const {
  const Rank nodes = shape_.size();
  const std::size_t peers = nodes - 1;
  if (!order_.empty()) {
    const auto row = order_.begin() + static_cast<std::ptrdiff_t>(self * peers);
    return SendOrder(std::vector<Rank>(row, row + static_cast<std::ptrdiff_t>(peers)));
  }
  if (offsets_of_ranks_)
    return SendOrder(nodes - 1, [this, self, nodes](Rank visit) {
      return (self + shape_.rank(offsets_[visit])) % nodes;
    });
  return SendOrder(nodes - 1, [this, here = shape_.coord(self)](Rank visit) {
    return shape_.rank(sum(shape_, here, offsets_[visit]));
  });
}

TablePolicy::TablePolicy(PolicyData data)
    : data_(std::move(data)),
      index_of_(index_by_shape(data_.tables)),
      changes_order_(
          data_.base->changes_order() &&
          (data_.tables.empty() || !std::ranges::all_of(data_.tables, &PolicyTables::has_order))),
      has_releases_(std::ranges::any_of(data_.tables, &PolicyTables::has_releases)) {}

SendOrder TablePolicy::order(const Visitor& visitor) const {
  const PolicyTables* const tables = tables_for(visitor.shape);
  if (tables == nullptr || !tables->has_order()) return data_.base->order(visitor);
  return tables->order(visitor.self);
}

unsigned TablePolicy::stages(const Shape& shape) const {
  const PolicyTables* const tables = tables_for(shape);
  return tables != nullptr && tables->has_relays() ? 2 : data_.base->stages(shape);
}

Rank TablePolicy::relay(const Shape& shape, const Waypoint& packet) const {
  const PolicyTables* const tables = tables_for(shape);
  if (tables == nullptr || !tables->has_relays()) return data_.base->relay(shape, packet);
  return packet.stage > 0 ? packet.to : tables->relay(packet.here, packet.to);
}

bool TablePolicy::keeps_to_shortest_ways(const Shape& shape) const {
  const PolicyTables* const tables = tables_for(shape);
  return tables != nullptr && tables->has_relays() ? tables->relays_keep_to_shortest_ways()
                                                   : data_.base->keeps_to_shortest_ways(shape);
}

Tick TablePolicy::release(const Shape& shape, Rank self, Rank to) const {
  const PolicyTables* const tables = tables_for(shape);
  return tables != nullptr && tables->has_releases() ? tables->release(self, to) : 0;
}

std::vector<Shape> TablePolicy::shapes_with_releases() const {
  std::vector<Shape> shapes;
  for (const PolicyTables& tables : data_.tables)
    if (tables.has_releases() && data_.tables.size() > 1) shapes.push_back(tables.shape());
  return shapes;
}

/// The tables for this shape. Null if the file has no tables, and for a group of one node, which
/// sends nothing. Throws BadInput if the file has tables for other shapes only.
const PolicyTables* TablePolicy::tables_for(const Shape& shape) const {
  if (data_.tables.empty()) return nullptr;
  if (const auto found = index_of_.find(TableKey(shape)); found != index_of_.end())
    return &data_.tables[found->second];
  if (shape.size() == 1) return nullptr;
  std::vector<Shape> shapes;
  for (const PolicyTables& tables : data_.tables) shapes.push_back(tables.shape());
  throw BadInput(fmt::format("policy {}: the tables of {} are for {}; this exchange is on {}{}",
                             data_.name, data_.path, text_of_toruses(shapes), shape.text(),
                             lacking_beside(shape)));
}

/// If the shape is a line or plane of a machine with tables, names all lines and planes of that
/// machine without tables. Otherwise empty.
std::string TablePolicy::lacking_beside(const Shape& shape) const {
  for (const PolicyTables& tables : data_.tables) {
    const std::map<TableKey, Shape> parts = lines_and_planes_of(tables.shape());
    if (!parts.contains(TableKey(shape))) continue;
    std::vector<std::string> lacking;
    for (const auto& [key, part] : parts)
      if (!index_of_.contains(key)) lacking.push_back(part.text());
    return fmt::format(
        "; without tables are these lines and planes of {}: {} (a transform needs "
        "some of them)",
        tables.shape().text(), fmt::join(lacking, ", "));
  }
  return "";
}

}  // namespace toroid
