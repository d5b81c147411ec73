#include "router/shm/torus/failure_stages.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hal/failures.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid::ring {

/// One stage per failure, also where several come at one time: nobody stays in between.
FailureStages::FailureStages(const Shape& shape) : stages_{shape} {
  if (shape.failures() == nullptr) return;
  const std::vector<Death>& deaths = shape.failures()->deaths();
  for (std::size_t count = 1; count <= deaths.size(); ++count) {
    auto failures = std::make_shared<Failures>(shape.without_failures(), shape.failures()->list());
    for (std::size_t d = 0; d < count; ++d) failures->let_die(deaths[d]);
    stages_.push_back(shape.with_failures(std::move(failures)));
  }
}

std::optional<Tick> FailureStages::next() const {
  const std::size_t now = this->now();
  if (now + 1 >= stages_.size()) return std::nullopt;
  return stages_.front().failures()->deaths()[now].at;
}

void FailureStages::pass(Tick time) {
  while (next() && *next() <= time)
    now_.store(now() + 1, std::memory_order_release);  // partner: the acquire in now()
}

std::vector<std::string> FailureStages::deaths() const {
  std::vector<std::string> texts;
  for (std::size_t d = 0; d < now(); ++d)
    texts.push_back(stages_[d].failures()->text(stages_[d].failures()->deaths()[d]));
  return texts;
}

}  // namespace toroid::ring
