// The program that runs on a failed node.
#pragma once

#include <string>

#include "hal/processor.hpp"

namespace toroid::termination {

/// Does nothing. One object replaces the programs of any number of failed nodes.
class DeadProcessor final : public Processor {
 public:
  /// `had_ended`: the replaced programs had ended when their nodes failed.
  explicit DeadProcessor(bool had_ended) : had_ended_(had_ended) {}

  TurnResult turn() override { return {}; }
  bool finished() const override { return had_ended_; }
  std::string waits_for() const override { return "nothing: it has failed"; }

 private:
  bool had_ended_;
};

}  // namespace toroid::termination
