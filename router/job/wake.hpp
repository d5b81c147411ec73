// Wakes a thread out of poll().
#pragma once

#include <poll.h>

#include <vector>

#include "router/job/socket.hpp"

namespace toroid::job {

class WakeUp {
 public:
  WakeUp();
  void ring();
  void add_to(std::vector<pollfd>& polled) const;
  void clear();

 private:
  Socket event_;
};

}  // namespace toroid::job
