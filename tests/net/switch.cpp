#include "tests/net/switch.hpp"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <ctime>

namespace toroid::testing {
namespace {

/// virtio_net_hdr, which precedes every frame; <linux/virtio_net.h> is not C++.
struct Offload {
  std::uint8_t flags;
  std::uint8_t segmentation;  ///< 0: the frame is a single frame on the wire
  std::uint16_t header_bytes;
  std::uint16_t segment_bytes;
  std::uint16_t checksum_start;
  std::uint16_t checksum_offset;
};
constexpr std::size_t kOffload = sizeof(Offload);
static_assert(kOffload == 10);
constexpr std::size_t kAddresses = 12;  // destination, then source
constexpr std::size_t kLargestFrame = kOffload + 65536 + 64;
constexpr int kBatch = 64;  // frames taken from a port before the next port's turn
// Bytes on the wire in addition to a frame: checksum, preamble, gap.
constexpr std::size_t kBetweenFrames = 4 + 8 + 12;
constexpr std::size_t kLeastOnWire = 84;

template <typename Mac>
Mac mac_at(const std::vector<std::uint8_t>& frame, std::size_t offset) {
  Mac mac;
  std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(offset), mac.size(), mac.begin());
  return mac;
}

/// Bytes on the wire. A frame whose segmentation is left to the switch counts as several frames,
/// each with the headers of the first.
std::size_t bytes_on_wire(const std::vector<std::uint8_t>& frame) {
  Offload offload;
  std::memcpy(&offload, frame.data(), sizeof offload);
  const std::size_t size = frame.size() - kOffload;
  if (offload.segmentation == 0 || offload.segment_bytes == 0)
    return std::max(size + kBetweenFrames, kLeastOnWire);
  const std::size_t headers = std::min<std::size_t>(offload.header_bytes, size);
  const std::size_t segments = (size - headers + offload.segment_bytes - 1) / offload.segment_bytes;
  return size - headers + segments * (headers + kBetweenFrames);
}

std::chrono::nanoseconds time_of(std::size_t bytes, double bandwidth) {
  if (bandwidth <= 0) return {};
  return std::chrono::nanoseconds(std::llround(static_cast<double>(bytes) * 8e9 / bandwidth));
}

/// A real switch does not wait for a processor, so this raises the thread's priority. Without
/// permission, frames are late while all processors are busy.
void be_punctual() {
  ::prctl(PR_SET_TIMERSLACK, 1000);  // ns, instead of 50 us
  const sched_param first{1};
  ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &first);
}

std::pair<unsigned, unsigned> sorted(unsigned one, unsigned other) {
  return {std::min(one, other), std::max(one, other)};
}

}  // namespace

Switch::Switch(std::vector<FileDescriptor> taps, std::uint64_t seed)
    : taps_(std::move(taps)),
      wake_(succeeded(::eventfd(0, EFD_CLOEXEC), "eventfd")),
      buffer_(kLargestFrame),
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
  links_.at(port).settings = settings;
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

std::chrono::nanoseconds Switch::busy() const {
  clockid_t clock{};
  timespec time{};
  // The handle is valid until the thread is joined.
  ::pthread_getcpuclockid(const_cast<std::thread&>(thread_).native_handle(), &clock);
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void Switch::run() {
  be_punctual();
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
  if (!delayed_.empty()) {  // no lock: only this thread changes it
    const auto left = std::max(delayed_.begin()->first - Clock::now(), Clock::duration::zero());
    limit = {left / std::chrono::seconds(1), (left % std::chrono::seconds(1)).count()};
  }
  ::ppoll(files.data(), files.size(), &limit, nullptr);
}

void Switch::receive_from(unsigned port) {
  for (int taken = 0; taken < kBatch; ++taken) {
    const ssize_t size = ::read(taps_[port].get(), buffer_.data(), buffer_.size());
    if (size < static_cast<ssize_t>(kOffload + kAddresses)) return;
    forward(port, Frame(buffer_.begin(), buffer_.begin() + size));
  }
}

void Switch::forward(unsigned from, Frame frame) {
  Link& in = links_[from];
  const Clock::time_point begin = std::max(Clock::now(), in.free_in);
  in.free_in = begin + time_of(bytes_on_wire(frame), in.settings.bandwidth);
  port_of_[mac_at<Mac>(frame, kOffload + 6)] = from;
  const auto known = port_of_.find(mac_at<Mac>(frame, kOffload));
  if (known != port_of_.end()) return send_over(from, known->second, begin, std::move(frame));
  for (unsigned to = 0; to < taps_.size(); ++to)
    if (to != from) send_over(from, to, begin, frame);
}

void Switch::send_over(unsigned from, unsigned to, Clock::time_point begin, Frame frame) {
  const LinkSettings& in = links_[from].settings;
  const LinkSettings& out = links_[to].settings;
  if (in.cut || out.cut || cut_paths_.contains(sorted(from, to))) {
    ++counts_.cut;
  } else if (lost_between(in, out)) {
    ++counts_.lost;
  } else {
    Clock::time_point& free = links_[to].free_out;
    free = std::max(begin, free) + time_of(bytes_on_wire(frame), out.bandwidth);
    const Clock::time_point end = std::max(links_[from].free_in, free);
    delayed_.insert({end + in.delay + out.delay, {to, std::move(frame)}});
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
