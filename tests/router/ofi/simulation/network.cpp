#include "tests/router/ofi/simulation/network.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace toroid::simulation {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr microseconds kLatency{60};
constexpr microseconds kOvertaking{400};
constexpr milliseconds kLongDelay{50};

/// Marks an operation as in use, in the context that belongs to the transport.
void begin_use(ofi::Operation& operation) {
  if (operation.context[0] != nullptr) throw Violation("an operation is in use twice");
  operation.context[0] = &operation;
}
void end_use(ofi::Operation& operation) {
  operation.context[0] = nullptr;
}

}  // namespace

Network::Network(const Scenario& scenario, std::uint64_t seed)
    : faults_(scenario.network),
      slowness_(scenario.slowness),
      processes_(scenario.processes),
      random_(seed, 2),
      places_(processes_),
      last_due_(std::size_t{processes_} * processes_),
      cut_(last_due_.size()) {}

void Network::heal() {
  faults_ = {};
  std::fill(cut_.begin(), cut_.end(), false);
}

void Network::bury(unsigned process) {
  Place& place = places_[process];
  place.is_dead = true;
  under_way_ -= place.inbox.size() + place.sending.size();
  place.inbox.clear();
  place.sending.clear();
}

Clock::duration Network::any_below(Clock::duration limit) {
  return std::chrono::nanoseconds(random_.below(static_cast<std::uint32_t>(limit.count())));
}

bool Network::End::try_send(ofi::Operation& operation) {
  if (operation.bytes > operation.buffer.size() || operation.bytes > kMostBytes)
    throw Violation("a frame is longer than its buffer");
  if (operation.context[0] == nullptr && network_->happens(network_->faults_.busy)) return false;
  begin_use(operation);
  network_->places_[self_].sending.push_back(
      {&operation, network_->now_ + network_->any_below(kLatency * network_->slowness_)});
  ++network_->under_way_;
  ++network_->frames_;
  return true;
}

/// Overwrites the buffer's old content.
bool Network::End::try_receive(ofi::Operation& operation) {
  if (operation.context[0] == nullptr && network_->happens(network_->faults_.busy)) return false;
  begin_use(operation);
  std::memset(operation.buffer.data(), 0xce, 128);
  network_->places_[self_].receiving.push_back(&operation);
  return true;
}

std::size_t Network::End::poll(std::span<ofi::Completion> completions) {
  const std::size_t sent = network_->complete_sends(self_, completions);
  return sent + network_->complete_receives(self_, completions.subspan(sent));
}

std::size_t Network::complete_sends(unsigned self, std::span<ofi::Completion> completions) {
  auto& sending = places_[self].sending;
  std::size_t count = 0;
  for (std::size_t i = 0; i < sending.size() && count < completions.size();) {
    if (sending[i].due > now_) {
      ++i;
      continue;
    }
    ofi::Operation& operation = *sending[i].operation;
    sending[i] = sending.back();
    sending.pop_back();
    --under_way_;
    depart(self, operation);
    end_use(operation);
    completions[count++] = {&operation, 0};
  }
  return count;
}

void Network::depart(unsigned from, const ofi::Operation& operation) {
  if (places_[operation.peer].is_dead || is_cut(from, operation.peer)) return;
  if (happens(faults_.drop)) return;
  if (happens(faults_.duplicate)) post(from, operation);
  post(from, operation);
}

void Network::post(unsigned from, const ofi::Operation& operation) {
  if (spare_.empty()) spare_.push_back(std::make_unique<Frame>());
  std::unique_ptr<Frame> frame = std::move(spare_.back());
  spare_.pop_back();
  frame->bytes = operation.bytes;
  std::memcpy(frame->content.data(), operation.buffer.data(), operation.bytes);
  frame->is_corrupt = happens(faults_.corrupt);
  if (frame->is_corrupt) {
    const std::uint32_t at = random_.below(static_cast<std::uint32_t>(frame->bytes));
    frame->content[at] ^= std::byte{static_cast<unsigned char>(1u << random_.below(8))};
  }
  Clock::time_point& last = last_due_[from * processes_ + operation.peer];
  frame->due = std::max(last, now_ + any_below(kLatency * slowness_));
  if (happens(faults_.delay)) frame->due += any_below(kLongDelay);
  last = std::max(last, frame->due);
  if (happens(faults_.reorder)) frame->due += any_below(kOvertaking * slowness_);
  ++under_way_;
  places_[operation.peer].inbox.push_back(std::move(frame));
}

std::size_t Network::complete_receives(unsigned self, std::span<ofi::Completion> completions) {
  Place& place = places_[self];
  std::size_t count = 0;
  while (count < completions.size() && !place.inbox.empty() && !place.receiving.empty()) {
    std::size_t first = 0;
    for (std::size_t i = 1; i < place.inbox.size(); ++i)
      if (place.inbox[i]->due < place.inbox[first]->due) first = i;
    if (place.inbox[first]->due > now_) break;
    completions[count++] = arrive(place, first);
  }
  return count;
}

ofi::Completion Network::arrive(Place& place, std::size_t at) {
  std::unique_ptr<Frame> frame = std::move(place.inbox[at]);
  place.inbox.erase(place.inbox.begin() + static_cast<std::ptrdiff_t>(at));
  ofi::Operation& operation = *place.receiving.back();
  place.receiving.pop_back();
  end_use(operation);
  operation.bytes = frame->bytes;
  std::memcpy(operation.buffer.data(), frame->content.data(), frame->bytes);
  corrupted_ += frame->is_corrupt ? 1 : 0;
  --under_way_;
  spare_.push_back(std::move(frame));
  return {&operation, 0};
}

}  // namespace toroid::simulation
