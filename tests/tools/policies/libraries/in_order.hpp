// The base class of the policies in this folder. Its order is correct; a broken policy overrides
// one of its functions.
#pragma once

#include <string_view>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"

namespace toroid::testing {

/// A policy that visits self+1, self+2, ...
class InOrder : public Policy {
 public:
  std::string_view name() const override { return "in-order"; }
  std::string_view source() const override { return "a test"; }
  std::string_view known_result() const override { return "none"; }
  SendOrder order(const Visitor& visitor) const override { return SendOrder(peers(visitor)); }

 protected:
  static std::vector<Rank> peers(const Visitor& visitor) {
    std::vector<Rank> all;
    for (Rank i = 1; i < visitor.shape.size(); ++i)
      all.push_back((visitor.self + i) % visitor.shape.size());
    return all;
  }
};

}  // namespace toroid::testing
