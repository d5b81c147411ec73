#include "router/shm/torus/failure_timeline.hpp"

#include <memory>
#include <utility>

namespace toroid::ring {

/// Each failure gets its own stage, even if several happen at the same time: pass() goes through
/// all of them at once. A failure that changes nothing gets no stage.
FailureTimeline::FailureTimeline(const Shape& shape) : stages_{shape} {
  if (shape.failures() == nullptr) return;
  for (const Death& death : shape.failures()->deaths()) {
    if (!stages_.back().failures()->is_news(death)) continue;
    deaths_.push_back(death);
    auto failures = std::make_shared<Failures>(shape.without_failures(), shape.failures()->list());
    for (const Death& one : deaths_) failures->let_die(one);
    stages_.push_back(shape.with_failures(std::move(failures)));
  }
}

std::optional<Tick> FailureTimeline::next() const {
  const std::size_t now = this->now();
  if (now + 1 >= stages_.size()) return std::nullopt;
  return deaths_[now].at;
}

void FailureTimeline::pass(Tick time) {
  while (next() && *next() <= time)
    now_.store(now() + 1, std::memory_order_release);  // partner: the acquire in now()
}

std::vector<std::string> FailureTimeline::deaths() const {
  std::vector<std::string> texts;
  for (std::size_t d = 0; d < now(); ++d) texts.push_back(stages_[d].failures()->text(deaths_[d]));
  return texts;
}

}  // namespace toroid::ring
