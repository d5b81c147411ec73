#include "tools/python/policy.hpp"

#include <fmt/core.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "tools/command_line/choice.hpp"
#include "tools/command_line/policy_options.hpp"
#include "tools/run/host_program.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

constexpr std::uint64_t kMostKept = std::uint64_t{1} << 26;  ///< ranks, of 4 bytes each

thread_local unsigned asking = 0;

struct Asking {
  Asking() { ++asking; }
  ~Asking() { --asking; }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
};

std::string raised_text(const py::error_already_set& error) {
  const std::string type = py::str(error.type().attr("__name__"));
  const std::string text = py::str(error.value());
  return text.empty() ? type : type + ": " + text;
}

/// An exception object whose last reference may go away in any thread.
std::exception_ptr kept(const py::error_already_set& error) {
  return std::make_exception_ptr(error);
}

using Ranks = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

/// Null where these are no whole numbers.
Ranks whole_numbers(const py::object& given) {
  const auto array = py::array::ensure(given);
  if (!array) PyErr_Clear();
  if (!array || (array.dtype().kind() != 'i' && array.dtype().kind() != 'u' && array.size() > 0))
    return py::reinterpret_steal<Ranks>(py::handle());
  return Ranks(array);
}

template <typename T, std::size_t n>
T choice(const py::handle& value, std::string_view what,
         const std::array<std::string_view, n>& names) {
  return parse_choice<T>(what, names, py::cast<std::string>(py::str(value)));
}

template <typename T>
T within(const py::handle& value, const std::string& key, double least, double most) {
  const auto number = value.cast<T>();
  if (!(static_cast<double>(number) >= least && static_cast<double>(number) <= most))
    throw BadInput(fmt::format("{} must be a number from {} to {}", key, least, most));
  return number;
}

/// Throws BadInput for a key or value that is none, and what pybind11 throws for another type.
void set(PolicySettings& settings, const std::string& key, const py::handle& value) {
  if (key == "order")
    settings.order = choice<OrderRule>(value, "order", kOrderRuleNames);
  else if (key == "packets_per_visit")
    settings.packets_per_visit = within<std::uint32_t>(value, key, 1, kMostPackets);
  else if (key == "output_queues")
    settings.output_queues = within<unsigned>(value, key, 1, kMostQueues);
  else if (key == "queue_per_direction")
    settings.queue_per_direction = value.cast<bool>();
  else if (key == "queue_capacity")
    settings.queue_capacity = within<unsigned>(value, key, 1, kMostPackets);
  else if (key == "drain")
    settings.drain = choice<DrainRule>(value, "drain rule", kDrainRuleNames);
  else if (key == "tying")
    settings.tying = choice<FifoTying>(value, "tying", kFifoTyingNames);
  else if (key == "routing")
    settings.routing = choice<RoutingRule>(value, "routing", kRoutingRuleNames);
  else if (key == "tie")
    settings.tie = choice<TieRule>(value, "tie rule", kTieRuleNames);
  else if (key == "cycles_per_packet")
    settings.throttle.cycles_per_packet = within<double>(value, key, 0, kMostCyclesPerPacket);
  else if (key == "window")
    settings.throttle.window = within<std::uint32_t>(value, key, 0, kMostPackets);
  else
    throw BadInput(fmt::format(
        "'{}' is no setting; expected order, packets_per_visit, output_queues, "
        "queue_per_direction, queue_capacity, drain, tying, routing, tie, cycles_per_packet "
        "or window",
        key));
}

/// Whether each other node is visited once; in one quick pass, since nearly all orders are good.
bool is_good(const Visitor& visitor, const std::int64_t* peers, std::size_t count) {
  const std::uint64_t nodes = visitor.shape.size();
  if (count + 1 != nodes) return false;
  std::vector<std::uint8_t> seen(nodes, 0);
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto peer = static_cast<std::uint64_t>(peers[i]);
    largest = std::max(largest, peer);
    seen[std::min(peer, nodes - 1)] = 1;
  }
  const auto different = std::accumulate(seen.begin(), seen.end(), std::uint64_t{0});
  return largest < nodes && seen[visitor.self] == 0 && different == count;
}

/// An order that has been checked: a long one need not be checked by the exchange again.
SendOrder order_of(std::vector<Rank> peers) {
  if (peers.size() <= SendOrder::kStoredPeers) return SendOrder(std::move(peers));
  const auto visits = static_cast<Rank>(peers.size());
  const auto kept = std::make_shared<const std::vector<Rank>>(std::move(peers));
  return {visits, [kept](Rank i) { return (*kept)[i]; }};
}

/// Which peer is visited twice, or which is left out; empty: each is visited once.
std::string fault(const Visitor& visitor, const std::int64_t* peers, std::size_t count) {
  const Rank nodes = visitor.shape.size();
  const bool all_live = visitor.shape.failures() == nullptr;
  const std::string expected = fmt::format("; expected each of the {} others once", nodes - 1);
  std::vector<std::uint32_t> place(nodes, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t peer = peers[i];
    if (peer < 0 || peer >= std::int64_t{nodes})
      return fmt::format("visits {} at place {}, which is no rank from 0 to {}", peer, i,
                         nodes - 1);
    if (peer == std::int64_t{visitor.self})
      return fmt::format("visits itself at place {}{}", i, expected);
    std::uint32_t& seen = place[static_cast<std::size_t>(peer)];
    if (seen != 0)
      return fmt::format("visits {} twice, at places {} and {}{}", peer, seen - 1, i, expected);
    seen = static_cast<std::uint32_t>(i + 1);
  }
  if (!all_live || count + 1 == nodes) return "";  // dead ones may be left out
  Rank missing = 0;
  while (place[missing] != 0 || missing == visitor.self) ++missing;
  return fmt::format("has {} peers and leaves out {}{}", count, missing, expected);
}

}  // namespace

bool PythonPolicy::is_asking() {
  return asking > 0;
}

PythonPolicy::PythonPolicy(py::object policy)
    : policy_(std::move(policy)),
      name_(py::str(policy_.attr("name"))),
      changes_order_(policy_.attr("changes_order").cast<bool>()),
      relays_(policy_.attr("_has_relays").cast<bool>()),
      shortest_(policy_.attr("keeps_to_shortest_ways").cast<bool>()) {}

void PythonPolicy::refuse(const std::string& what, std::exception_ptr cause) const {
  const HostError refusal(fmt::format("policy {}: {}", name_, what), std::move(cause));
  {
    const std::lock_guard lock(mutex_);
    refusals_.push_back(refusal);
  }
  throw refusal;
}

const HostError* PythonPolicy::refusal_in(const std::string& text) const {
  const std::lock_guard lock(mutex_);
  for (const HostError& one : refusals_)
    if (text.find(one.what()) != std::string::npos) return &one;
  return nullptr;
}

void PythonPolicy::refuse_order(const Visitor& visitor, const std::string& what,
                                std::exception_ptr cause) const {
  refuse(fmt::format("order() of node {} {} on torus {}, round {}: {}", visitor.self,
                     visitor.shape.coord_text(visitor.self), visitor.shape.text(), visitor.round,
                     what),
         std::move(cause));
}

PythonPolicy::Known& PythonPolicy::known(const Shape& shape) const {
  const auto find = [&]() -> Known* {
    for (const auto& one : shapes_)
      if (one->shape == shape) return one.get();
    return nullptr;
  };
  {
    const std::lock_guard lock(mutex_);
    if (Known* const found = find()) return *found;
  }
  const py::gil_scoped_acquire interpreter;
  auto made = std::make_unique<Known>(Known{shape, py::cast(shape), {}, {}});
  if (relays_) ask_relays(*made);
  const std::lock_guard lock(mutex_);
  if (Known* const found = find()) return *found;
  return *shapes_.emplace_back(std::move(made));
}

PolicySettings PythonPolicy::settings(const PolicyCase& about) const {
  const Asking now;
  Known& known_shape = known(about.shape);
  const py::gil_scoped_acquire interpreter;
  PolicySettings settings;
  try {
    const py::object given = policy_.attr("settings")(known_shape.object, py::cast(about.machine));
    if (given.is_none()) return settings;
    for (const auto& [key, value] : py::cast<py::dict>(given)) {
      const std::string name = py::str(key);
      try {
        set(settings, name, value);
      } catch (const py::cast_error&) {
        refuse(fmt::format("settings(): {} cannot be {}", name, std::string(py::repr(value))));
      }
    }
  } catch (const py::error_already_set& error) {
    refuse("settings(): " + raised_text(error), kept(error));
  } catch (const HostError&) {
    throw;
  } catch (const BadInput& error) {
    refuse(std::string("settings(): ") + error.what());
  }
  return settings;
}

SendOrder PythonPolicy::order(const Visitor& visitor) const {
  Known& about = known(visitor.shape);
  const auto key = std::tuple(visitor.self, visitor.identity, visitor.seed, visitor.round);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = about.orders.find(key); found != about.orders.end())
      return found->second;
  }
  SendOrder order = order_of(ask_order(visitor, about));
  const std::lock_guard lock(mutex_);
  if (kept_ + order.size() > kMostKept) {
    for (const auto& one : shapes_) one->orders.clear();
    kept_ = 0;
  }
  kept_ += order.size();
  about.orders.insert_or_assign(key, order);
  return order;
}

std::vector<Rank> PythonPolicy::ask_order(const Visitor& visitor, Known& about) const {
  const Asking now;
  const py::gil_scoped_acquire interpreter;
  try {
    const py::object given =
        policy_.attr("order")(about.object, visitor.self, visitor.seed, visitor.round);
    const Ranks peers = whole_numbers(given);
    if (!peers || peers.ndim() != 1)
      refuse_order(visitor, fmt::format("returned {}; expected a row of {} ranks",
                                        std::string(py::str(py::type::of(given).attr("__name__"))),
                                        visitor.shape.size() - 1));
    const auto count = static_cast<std::size_t>(peers.size());
    if (!is_good(visitor, peers.data(), count))
      if (const std::string why = fault(visitor, peers.data(), count); !why.empty())
        refuse_order(visitor, why);
    return {peers.data(), peers.data() + count};
  } catch (const py::error_already_set& error) {
    refuse_order(visitor, raised_text(error), kept(error));
  }
}

unsigned PythonPolicy::stages(const Shape& shape) const {
  if (!relays_) return 1;
  return known(shape).relays.empty() ? 1 : 2;
}

bool PythonPolicy::keeps_to_shortest_ways(const Shape& shape) const {
  return shortest_ || stages(shape) == 1;
}

void PythonPolicy::ask_relays(Known& about) const {
  const Asking now;
  const Rank nodes = about.shape.size();
  try {
    const py::object given = policy_.attr("relay")(about.object);
    if (given.is_none()) return;
    const Ranks table = whole_numbers(given);
    if (!table || table.ndim() != 2 || table.shape(0) != nodes || table.shape(1) != nodes)
      refuse(fmt::format("relay() on torus {}: expected a table of {} sources by {} destinations",
                         about.shape.text(), nodes, nodes));
    about.relays.reserve(std::size_t{nodes} * nodes);
    for (Rank from = 0; from < nodes; ++from)
      for (Rank to = 0; to < nodes; ++to) {
        const std::int64_t by = table.at(from, to);
        if (by < 0 || by >= std::int64_t{nodes})
          refuse(fmt::format("relay() on torus {}, row {}, column {}: {} is no rank from 0 to {}",
                             about.shape.text(), from, to, by, nodes - 1));
        about.relays.push_back(static_cast<Rank>(by));
      }
  } catch (const py::error_already_set& error) {
    refuse(fmt::format("relay() on torus {}: {}", about.shape.text(), raised_text(error)),
           kept(error));
  }
}

Rank PythonPolicy::relay(const Shape& shape, const Waypoint& packet) const {
  if (packet.stage > 0) return packet.to;
  const Known* about = latest_.load(std::memory_order_acquire);  // partner: below
  if (about == nullptr || !(about->shape == shape)) {
    about = &known(shape);
    latest_.store(about, std::memory_order_release);
  }
  if (about->relays.empty()) return packet.to;
  return about->relays[std::size_t{packet.here} * shape.size() + packet.to];
}

}  // namespace toroid::python
