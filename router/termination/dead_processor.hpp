// What runs on a node that has failed.
#pragma once

#include <string>

#include "hal/processor.hpp"

namespace toroid::termination {

/// Nothing. One stands in for the programs of any number of failed nodes.
class DeadProcessor final : public Processor {
 public:
  TurnResult turn() override { return {}; }
  bool finished() const override { return true; }
  std::string waits_for() const override { return "nothing"; }
};

}  // namespace toroid::termination
