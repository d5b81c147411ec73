#include "tools/python/policy.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <utility>

#include "hal/check.hpp"
#include "tools/options/policy_name_rule.hpp"
#include "tools/python/module.hpp"
#include "tools/python/policy_call.hpp"
#include "tools/python/policy_return_values.hpp"
#include "tools/python/whole_numbers.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

constexpr std::uint64_t kMostKept = std::uint64_t{1} << 26;  ///< ranks, of 4 bytes each

/// Type and text of an exception; only its type if its text cannot be obtained.
std::string raised_text(const py::error_already_set& error) {
  const std::string type = py::str(error.type().attr("__name__"));
  try {
    const std::string text = py::str(error.value());
    return text.empty() ? type : type + ": " + text;
  } catch (const py::error_already_set&) {
    return type;
  }
}

/// An exception object whose last reference may be released in any thread.
std::exception_ptr kept(const py::error_already_set& error) {
  return std::make_exception_ptr(error);
}

/// The policy's name. Throws BadInput if a table cannot show it.
std::string name_of(const py::object& policy) {
  std::string name = py::str(policy.attr("name"));
  if (const std::string fault = own_name_fault(name); !fault.empty())
    throw BadInput(one_line(fmt::format("policy {}: {}", type_name(policy), fault)));
  return name;
}

}  // namespace

PythonPolicy::PythonPolicy(py::object policy)
    : policy_(std::move(policy)),
      name_(name_of(policy_)),
      changes_order_(policy_.attr("changes_order").cast<bool>()),
      relays_(policy_.attr("_has_relays").cast<bool>()),
      shortest_(policy_.attr("keeps_to_shortest_ways").cast<bool>()),
      releases_(policy_.attr("_has_releases").cast<bool>()) {}

void PythonPolicy::refuse(const std::string& what, std::exception_ptr cause) const {
  const EmbeddingError refusal(fmt::format("policy {}: {}", name_, what), std::move(cause));
  {
    const std::lock_guard lock(mutex_);
    refusals_.push_back(refusal);
  }
  throw refusal;
}

const EmbeddingError* PythonPolicy::refusal_in(const std::string& text) const {
  const std::lock_guard lock(mutex_);
  for (const EmbeddingError& one : refusals_)
    if (text.find(one.what()) != std::string::npos) return &one;
  return nullptr;
}

template <typename Ask>
auto PythonPolicy::asked(const std::string& where, const Ask& ask) const {
  const PolicyCall now;
  const py::gil_scoped_acquire interpreter;
  try {
    return ask();
  } catch (const py::error_already_set& error) {
    refuse(where + ": " + raised_text(error), kept(error));
  } catch (const BadInput& error) {
    refuse(where + ": " + error.what(), nullptr);
  }
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
  auto made = std::make_unique<Known>(Known{shape, py::cast(shape), {}, {}, {}});
  if (relays_)
    made->relays = asked(fmt::format("relay() on torus {}", shape.text()),
                         [&] { return relays_of(shape, policy_.attr("relay")(made->object)); });
  if (releases_)
    made->releases = asked(fmt::format("release() on torus {}", shape.text()), [&] {
      return releases_of(shape, policy_.attr("release")(made->object));
    });
  const std::lock_guard lock(mutex_);
  if (Known* const found = find()) return *found;
  return *shapes_.emplace_back(std::move(made));
}

PolicySettings PythonPolicy::settings(const PolicyCase& about) const {
  const Known& of_shape = known(about.shape);
  return asked("settings()", [&] {
    return settings_of(policy_.attr("settings")(of_shape.object, machine_object(about.machine)));
  });
}

SendOrder PythonPolicy::order(const Visitor& visitor) const {
  Known& about = known(visitor.shape);
  const auto key = std::tuple(visitor.self, visitor.identity, visitor.seed, visitor.round);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = about.orders.find(key); found != about.orders.end())
      return found->second;
  }
  SendOrder order = ask_order(visitor, about);
  const std::lock_guard lock(mutex_);
  if (kept_ + order.size() > kMostKept) {
    for (const auto& one : shapes_) one->orders.clear();
    kept_ = 0;
  }
  kept_ += order.size();
  about.orders.insert_or_assign(key, order);
  return order;
}

SendOrder PythonPolicy::ask_order(const Visitor& visitor, const Known& about) const {
  const std::string where =
      fmt::format("order() of node {} {} on torus {}, round {}", visitor.self,
                  visitor.shape.coord_text(visitor.self), visitor.shape.text(), visitor.round);
  return asked(where, [&] {
    return order_of(visitor,
                    policy_.attr("order")(about.object, visitor.self, visitor.seed, visitor.round));
  });
}

unsigned PythonPolicy::stages(const Shape& shape) const {
  if (!relays_) return 1;
  return known(shape).relays.empty() ? 1 : 2;
}

bool PythonPolicy::keeps_to_shortest_ways(const Shape& shape) const {
  return shortest_ || stages(shape) == 1;
}

const PythonPolicy::Known& PythonPolicy::latest(const Shape& shape) const {
  const Known* about = latest_.load(std::memory_order_acquire);  // partner: the store below
  if (about == nullptr || !(about->shape == shape)) {
    about = &known(shape);
    latest_.store(about, std::memory_order_release);
  }
  return *about;
}

Rank PythonPolicy::relay(const Shape& shape, const Waypoint& packet) const {
  if (packet.stage > 0) return packet.to;
  const Known& about = latest(shape);
  if (about.relays.empty()) return packet.to;
  return about.relays[std::size_t{packet.here} * shape.size() + packet.to];
}

Tick PythonPolicy::release(const Shape& shape, Rank self, Rank to) const {
  const Known& about = latest(shape);
  return about.releases.empty() ? 0 : about.releases[std::size_t{self} * shape.size() + to];
}

}  // namespace toroid::python
