// A base class for wrong policies in tests. By itself it is a correct policy.
#pragma once

#include <string_view>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"

namespace toroid::testing {

class BrokenPolicy : public Policy {
 public:
  std::string_view name() const override { return "broken"; }
  std::string_view source() const override { return "a test"; }
  std::string_view known_result() const override { return "wrong"; }
  SendOrder order(const Visitor& visitor) const override {
    const Rank self = visitor.self;
    return SendOrder(visitor.shape.size() - 1, [this, self](Rank i) { return visit(self, i); });
  }
  /// The i-th peer that `self` visits. By default, peers are visited in the order of their ranks.
  virtual Rank visit(Rank self, Rank i) const { return i < self ? i : i + 1; }
};

}  // namespace toroid::testing
