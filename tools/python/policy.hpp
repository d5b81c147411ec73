// A policy that is a Python object.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "tools/run/embedding_program.hpp"

namespace toroid::python {

/// Calls the object's methods and keeps their results: an order is asked for once per node, seed
/// and round, relays once per shape. If orders take too much memory, all are dropped and asked for
/// again. All methods may be called from any thread, without the interpreter's lock; constructor
/// and destructor need the lock. The constructor throws BadInput for a name that tables cannot
/// show.
class PythonPolicy final : public Policy {
 public:
  explicit PythonPolicy(pybind11::object policy);

  std::string_view name() const override { return name_; }
  std::string_view source() const override { return "Python"; }
  std::string_view known_result() const override { return ""; }
  PolicySettings settings(const PolicyCase& about) const override;
  SendOrder order(const Visitor& visitor) const override;
  bool changes_order() const override { return changes_order_; }
  unsigned stages(const Shape& shape) const override;
  Rank relay(const Shape& shape, const Waypoint& packet) const override;
  bool keeps_to_shortest_ways(const Shape& shape) const override;
  bool has_releases() const override { return releases_; }
  Tick release(const Shape& shape, Rank self, Rank to) const override;

  /// Returns the refusal whose message is contained in `text`, the text of a failure; null if there
  /// is none. The text may begin with the place of a node.
  const EmbeddingError* refusal_in(const std::string& text) const;

 private:
  /// Results kept for one shape.
  struct Known {
    Shape shape;
    pybind11::object object;     ///< used only with the interpreter's lock
    std::vector<Rank> relays;    ///< [here · size + destination]
    std::vector<Tick> releases;  ///< [source · size + destination]
    std::map<std::tuple<Rank, Rank, std::uint64_t, std::uint32_t>, SendOrder> orders;
  };
  Known& known(const Shape& shape) const;
  const Known& latest(const Shape& shape) const;
  SendOrder ask_order(const Visitor& visitor, const Known& about) const;
  /// Returns the result of `ask`; an exception becomes a refusal that begins with `where`.
  template <typename Ask>
  auto asked(const std::string& where, const Ask& ask) const;
  [[noreturn]] void refuse(const std::string& what, std::exception_ptr cause) const;

  pybind11::object policy_;
  std::string name_;
  bool changes_order_;
  bool relays_;
  bool shortest_;
  bool releases_;
  /// Guards the members below except latest_. Never held while Python code runs.
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Known>> shapes_;
  mutable std::uint64_t kept_ = 0;  ///< number of ranks in all kept orders
  mutable std::deque<EmbeddingError> refusals_;
  mutable std::atomic<const Known*> latest_ = nullptr;  ///< cache of latest(): the last shape used
};

}  // namespace toroid::python
