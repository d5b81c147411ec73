#include "router/termination/silence_notice.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace toroid::termination {

void SilenceNotice::look(const RunControl& control, const StalledMachine& machine) {
  const Clock::time_point now = Clock::now();
  if (std::exchange(received_, control.received()) != received_ || control.all_passive())
    since_ = now;
  if (said_ || now - since_ < after_) return;
  said_ = true;
  const std::string text =
      activity_report(machine, fmt::format("no packet has been received for {:g} s",
                                           std::chrono::duration<double>(after_).count())) +
      "; the run goes on";
  if (say_)
    say_(text);
  else
    std::fputs(("toroid: " + text + "\n").c_str(), stderr);
}

}  // namespace toroid::termination
