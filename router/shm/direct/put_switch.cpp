#include "router/shm/direct/put_switch.hpp"

#include <cstddef>
#include <deque>
#include <memory>

#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/machinery.hpp"

namespace toroid::ring {

PutSwitch::PutSwitch(const LocalNodes& local, const Placement& placement)
    : local_(&local), owners_(local.size()), ends_(local.size()) {
  const std::size_t workers = placement.workers.size();
  for (std::size_t w = 0; w < workers; ++w) {
    for (const Rank node : placement.workers[w].nodes) owners_[local.index(node)] = w;
    ports_.emplace_back(*this, w, workers);
  }
  for (std::size_t pair = 0; pair < workers * workers; ++pair)
    queues_.push_back(std::make_unique<Queue>());
}

void PutPort::send(const PutNote& note) {
  const std::size_t to = switch_->owner(note.addressee());
  if (to == worker_) return switch_->end(note.addressee()).take_note(note);
  if (waiting_[to].empty() && switch_->queue(worker_, to).push(note)) return;
  waiting_[to].push_back(note);
  ++kept_;
}

bool PutPort::step() {
  bool moved = kept_ > 0 && send_waiting();
  for (std::size_t from = 0; from < switch_->workers(); ++from)
    if (from != worker_)
      moved |= switch_->queue(from, worker_).consume_all([this](const PutNote& note) {
        switch_->end(note.addressee()).take_note(note);
      }) > 0;
  return moved;
}

bool PutPort::send_waiting() {
  const std::size_t before = kept_;
  for (std::size_t to = 0; to < waiting_.size(); ++to) {
    std::deque<PutNote>& notes = waiting_[to];
    while (!notes.empty() && switch_->queue(worker_, to).push(notes.front())) {
      notes.pop_front();
      --kept_;
    }
  }
  return kept_ != before;
}

bool PutPort::has_news() const {
  for (std::size_t from = 0; from < switch_->workers(); ++from)
    if (from != worker_ && switch_->queue(from, worker_).read_available() > 0) return true;
  return false;
}

}  // namespace toroid::ring
