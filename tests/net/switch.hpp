// A simulated Ethernet switch between TAP devices: it learns addresses, and can delay, slow down,
// lose and cut frames.
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
  double bandwidth = 0;  ///< bit/s in either direction; 0: no limit
  double loss = 0;       ///< probability that a frame is lost on this link
  bool cut = false;
};

/// Numbers of frames; a frame counts once for each port that it should leave by.
struct SwitchCounts {
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;  ///< lost at random
  std::uint64_t cut = 0;
};

/// **Bandwidth:** a link passes on one frame at a time in each direction and is busy with it for
/// its bits on the wire divided by the bandwidth. Other frames wait; the queue is unlimited, so no
/// frame is lost for lack of room. A frame goes on to the second link while it arrives over the
/// first (cut-through), so that on equal links its transmission time counts once.
///
/// **Devices:** every frame is preceded by a virtio_net_hdr (IFF_VNET_HDR). If the device offloads
/// segmentation and checksums, a frame of up to 64 KiB stands for many frames on the wire and
/// passes as one.
class Switch {
 public:
  /// Port i is the i-th device. Random losses depend on `seed` and the order of the frames.
  explicit Switch(std::vector<FileDescriptor> taps, std::uint64_t seed = 1);
  ~Switch();

  void set_link(unsigned port, const LinkSettings& settings);
  void set_all_links(const LinkSettings& settings);
  /// Stops all frames between these two ports; other paths stay as they are.
  void cut_path(unsigned one, unsigned other);
  void mend_path(unsigned one, unsigned other);
  SwitchCounts counts() const;
  /// Processor time used so far.
  std::chrono::nanoseconds busy() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Mac = std::array<std::uint8_t, 6>;
  using Frame = std::vector<std::uint8_t>;
  struct Delayed {
    unsigned port;
    Frame frame;
  };
  struct Link {
    LinkSettings settings;
    Clock::time_point free_in{};   ///< when the last frame from the host has passed
    Clock::time_point free_out{};  ///< when the last frame to the host has passed
  };

  void run();
  /// Waits until a frame arrives, a delayed frame is due, or the switch stops.
  void wait_for_work();
  void receive_from(unsigned port);
  void forward(unsigned from, Frame frame);
  /// `begin`: when the first bit enters the sender's link.
  void send_over(unsigned from, unsigned to, Clock::time_point begin, Frame frame);
  bool lost_between(const LinkSettings& in, const LinkSettings& out);
  void send_what_is_due();
  void transmit(unsigned port, const Frame& frame);

  std::vector<FileDescriptor> taps_;
  FileDescriptor wake_;
  Frame buffer_;              ///< for the frame being read
  mutable std::mutex mutex_;  ///< guards all members below; not held while waiting for frames
  std::vector<Link> links_;
  std::set<std::pair<unsigned, unsigned>> cut_paths_;
  SwitchCounts counts_;
  std::map<Mac, unsigned> port_of_;
  std::multimap<Clock::time_point, Delayed> delayed_;  ///< equal times in order of arrival
  std::mt19937_64 random_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace toroid::testing
