// One of its functions throws or ends the process. The parameter says which (acts.hpp).
#include <toroid/packet/policies/library.hpp>

#include <string_view>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "tests/tools/policies/libraries/acts.hpp"
#include "tests/tools/policies/libraries/in_order.hpp"

namespace {

using namespace toroid;

class Misbehaves final : public toroid::testing::InOrder {
 public:
  explicit Misbehaves(unsigned parameter)
      : function_(toroid::testing::kFunctions[parameter / 100]),
        act_(toroid::testing::kActs[parameter % 100]) {
    act_in("its constructor");
  }
  std::string_view name() const override { return act_in("name()"), "misbehaves"; }
  std::string_view source() const override { return act_in("source()"), "a test"; }
  std::string_view known_result() const override { return act_in("known_result()"), "none"; }
  PolicySettings settings(const PolicyCase&) const override {
    return act_in("settings()"), PolicySettings{};
  }
  SendOrder order(const Visitor& visitor) const override {
    act_in("order()");
    if (visitor.shape.size() <= SendOrder::kStoredPeers) return InOrder::order(visitor);
    return {visitor.shape.size() - 1, [this, all = peers(visitor)](Rank i) {
              return act_in("the function of order()"), all[i];
            }};
  }
  bool changes_order() const override { return act_in("changes_order()"), false; }
  unsigned stages(const Shape&) const override {
    act_in("stages()");
    return function_ == "relay()" ? 2 : 1;
  }
  Rank relay(const Shape&, const Waypoint& packet) const override {
    return act_in("relay()"), packet.to;
  }
  bool keeps_to_shortest_ways(const Shape&) const override {
    return act_in("keeps_to_shortest_ways()"), true;
  }
  bool combines() const override { return act_in("combines()"), false; }
  bool has_releases() const override {
    act_in("has_releases()");
    return function_ == "release()";
  }
  Tick release(const Shape&, Rank, Rank) const override { return act_in("release()"), 0; }

 private:
  void act_in(std::string_view function) const {
    if (function == function_) toroid::testing::act(act_);
  }

  std::string_view function_;
  std::string_view act_;
};

}  // namespace

TOROID_POLICY(Misbehaves)
