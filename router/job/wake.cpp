#include "router/job/wake.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "hal/check.hpp"

namespace toroid::job {

WakeUp::WakeUp() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!event_) throw RunFailed("too many files are open");
}

/// Full is as good: then the thread has not woken yet.
void WakeUp::ring() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.fd(), &one, sizeof one);
}

void WakeUp::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({event_.fd(), POLLIN, 0});
}

void WakeUp::clear() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(event_.fd(), &count, sizeof count);
}

}  // namespace toroid::job
