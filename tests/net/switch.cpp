#include "tests/net/switch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "tests/net/file_descriptor.hpp"

namespace toroid::testing {
namespace {

constexpr std::size_t kLargestFrame = 65536;
constexpr int kBatch = 64;              // frames taken from a port before the next one has its turn
constexpr std::size_t kAddresses = 12;  // destination, then source

template <typename Mac>
Mac mac_at(const std::vector<std::uint8_t>& frame, std::size_t offset) {
  Mac mac;
  std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(offset), mac.size(), mac.begin());
  return mac;
}

std::pair<unsigned, unsigned> sorted(unsigned one, unsigned other) {
  return {std::min(one, other), std::max(one, other)};
}

}  // namespace

Switch::Switch(std::vector<FileDescriptor> taps, std::uint64_t seed)
    : taps_(std::move(taps)),
      wake_(succeeded(::eventfd(0, EFD_CLOEXEC), "eventfd")),
      links_(taps_.size()),
      random_(seed),
      thread_([this] { run(); }) {}

Switch::~Switch() {
  stop_ = true;
  ::eventfd_write(wake_.get(), 1);
  thread_.join();
}

void Switch::set_link(unsigned port, const LinkSettings& settings) {
  const std::lock_guard lock(mutex_);
  links_.at(port) = settings;
}

void Switch::set_all_links(const LinkSettings& settings) {
  for (unsigned port = 0; port < taps_.size(); ++port) set_link(port, settings);
}

void Switch::cut_path(unsigned one, unsigned other) {
  const std::lock_guard lock(mutex_);
  cut_paths_.insert(sorted(one, other));
}

void Switch::mend_path(unsigned one, unsigned other) {
  const std::lock_guard lock(mutex_);
  cut_paths_.erase(sorted(one, other));
}

SwitchCounts Switch::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void Switch::run() {
  while (!stop_) {
    wait_for_work();
    const std::lock_guard lock(mutex_);
    for (unsigned port = 0; port < taps_.size(); ++port) receive_from(port);
    send_what_is_due();
  }
}

void Switch::wait_for_work() {
  std::vector<pollfd> files{{wake_.get(), POLLIN, 0}};
  for (const FileDescriptor& tap : taps_) files.push_back({tap.get(), POLLIN, 0});
  timespec limit{3600, 0};
  if (!delayed_.empty()) {  // only this thread changes it
    const auto left = std::max(delayed_.begin()->first - Clock::now(), Clock::duration::zero());
    limit = {left / std::chrono::seconds(1), (left % std::chrono::seconds(1)).count()};
  }
  ::ppoll(files.data(), files.size(), &limit, nullptr);
}

void Switch::receive_from(unsigned port) {
  Frame frame(kLargestFrame);
  for (int taken = 0; taken < kBatch; ++taken) {
    frame.resize(kLargestFrame);
    const ssize_t size = ::read(taps_[port].get(), frame.data(), frame.size());
    if (size < static_cast<ssize_t>(kAddresses)) return;
    frame.resize(static_cast<std::size_t>(size));
    forward(port, frame);
  }
}

void Switch::forward(unsigned from, const Frame& frame) {
  port_of_[mac_at<Mac>(frame, 6)] = from;
  const auto known = port_of_.find(mac_at<Mac>(frame, 0));
  if (known != port_of_.end()) return send_over(from, known->second, frame);
  for (unsigned to = 0; to < taps_.size(); ++to)
    if (to != from) send_over(from, to, frame);
}

void Switch::send_over(unsigned from, unsigned to, const Frame& frame) {
  const LinkSettings& in = links_[from];
  const LinkSettings& out = links_[to];
  if (in.cut || out.cut || cut_paths_.contains(sorted(from, to))) {
    ++counts_.cut;
  } else if (lost_between(in, out)) {
    ++counts_.lost;
  } else {
    delayed_.insert({Clock::now() + in.delay + out.delay, {to, frame}});
  }
}

bool Switch::lost_between(const LinkSettings& in, const LinkSettings& out) {
  const double passes = (1 - in.loss) * (1 - out.loss);
  return std::generate_canonical<double, 53>(random_) >= passes;
}

void Switch::send_what_is_due() {
  const auto end = delayed_.upper_bound(Clock::now());
  for (auto next = delayed_.begin(); next != end; next = delayed_.erase(next))
    transmit(next->second.port, next->second.frame);
}

void Switch::transmit(unsigned port, const Frame& frame) {
  // A device that is down or full loses the frame, as a real one does.
  if (::write(taps_[port].get(), frame.data(), frame.size()) >= 0) ++counts_.delivered;
}

}  // namespace toroid::testing
