// An Ethernet switch of our own between TAP devices: it learns where addresses are, and can delay,
// lose and cut.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "tests/net/file_descriptor.hpp"

namespace toroid::testing {

/// Settings of the link between a host and the switch. A frame crosses two such links: its sender's
/// and its receiver's.
struct LinkSettings {
  std::chrono::microseconds delay{0};
  double loss = 0;  ///< probability that a frame is lost on this link
  bool cut = false;
};

/// Numbers of frames; a frame counts once for each port by which it was to leave.
struct SwitchCounts {
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;  ///< by chance
  std::uint64_t cut = 0;
};

class Switch {
 public:
  /// Port i is the i-th device. The losses follow from `seed` and the order of the frames.
  explicit Switch(std::vector<FileDescriptor> taps, std::uint64_t seed = 1);
  ~Switch();

  void set_link(unsigned port, const LinkSettings& settings);
  void set_all_links(const LinkSettings& settings);
  /// Nothing passes between these two any more, whatever passes between others.
  void cut_path(unsigned one, unsigned other);
  void mend_path(unsigned one, unsigned other);
  SwitchCounts counts() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Mac = std::array<std::uint8_t, 6>;
  using Frame = std::vector<std::uint8_t>;
  struct Delayed {
    unsigned port;
    Frame frame;
  };

  void run();
  /// Until a frame comes, one falls due or the switch is to end.
  void wait_for_work();
  void receive_from(unsigned port);
  void forward(unsigned from, const Frame& frame);
  void send_over(unsigned from, unsigned to, const Frame& frame);
  bool lost_between(const LinkSettings& in, const LinkSettings& out);
  void send_what_is_due();
  void transmit(unsigned port, const Frame& frame);

  std::vector<FileDescriptor> taps_;
  FileDescriptor wake_;
  mutable std::mutex mutex_;  ///< of all that follows, but not held while frames are awaited
  std::vector<LinkSettings> links_;
  std::set<std::pair<unsigned, unsigned>> cut_paths_;
  SwitchCounts counts_;
  std::map<Mac, unsigned> port_of_;
  std::multimap<Clock::time_point, Delayed> delayed_;  ///< equal times in order of arrival
  std::mt19937_64 random_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace toroid::testing
