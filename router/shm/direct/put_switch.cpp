#include "router/shm/direct/put_switch.hpp"

#include <algorithm>

namespace toroid::ring {

PutSwitch::PutSwitch(const LocalNodes& local, const Placement& placement)
    : local_(&local), owners_(local.size()), ends_(local.size()) {
  const std::size_t workers = placement.workers.size();
  for (std::size_t pair = 0; pair < workers * workers; ++pair)
    queues_.push_back(std::make_unique<PutQueue>());
  for (std::size_t w = 0; w < workers; ++w) {
    for (const Rank node : placement.workers[w].nodes) owners_[local.index(node)] = w;
    std::vector<PutQueue*> inward;
    for (std::size_t from = 0; from < workers; ++from)
      if (from != w) inward.push_back(queues_[from * workers + w].get());
    ports_.emplace_back(*this, w, std::move(inward), workers);
  }
}

void PutPort::send(const PutNote& note) {
  const std::size_t to = switch_->owner(note.addressee());
  if (to == worker_) {
    has_told_ |= note.is_done;
    return switch_->end(note.addressee()).take_note(note);
  }
  if (waiting_[to].empty() && switch_->queue(worker_, to).push(note)) return;
  waiting_[to].push_back(note);
  ++kept_;
}

bool PutPort::step() {
  bool moved = std::exchange(has_told_, false);
  moved |= kept_ > 0 && send_waiting();
  for (PutQueue* queue : inward_)
    if (queue->read_available() > 0) moved |= take_from(*queue);
  return moved;
}

bool PutPort::take_from(PutQueue& queue) {
  return queue.consume_all(
             [this](const PutNote& note) { switch_->end(note.addressee()).take_note(note); }) > 0;
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
  return kept_ > 0 || has_told_ || std::ranges::any_of(inward_, [](const PutQueue* queue) {
           return queue->read_available() > 0;
         });
}

}  // namespace toroid::ring
