// A network and a clock; a seed determines how both behave.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hal/random.hpp"
#include "router/ofi/transport.hpp"
#include "tests/router/ofi/simulation/scenario.hpp"

namespace toroid::simulation {

using ofi::Clock;

/// Carries frames between processes, each of which has an End. A frame is read when its sending
/// completes: until then its buffer must not change, and the operation must not be handed over
/// again.
class Network {
 public:
  static constexpr std::size_t kMostBytes = 1024;

  class End final : public ofi::Transport {
   public:
    End(Network& network, unsigned self) : network_(&network), self_(self) {}
    bool try_send(ofi::Operation& operation) override;
    bool try_receive(ofi::Operation& operation) override;
    std::size_t poll(std::span<ofi::Completion> completions) override;
    std::string text_of(int) const override { return "an error"; }
    Clock::time_point now() const override { return network_->now_; }

   private:
    Network* network_;
    unsigned self_;
  };

  Network(const Scenario& scenario, std::uint64_t seed);

  void advance(Clock::duration time) { now_ += time; }
  Clock::time_point now() const { return now_; }
  /// Ends all faults and cuts.
  void heal();
  void cut(unsigned from, unsigned to, bool is_cut) { cut_[from * processes_ + to] = is_cut; }
  bool is_cut(unsigned from, unsigned to) const { return cut_[from * processes_ + to]; }
  /// Makes a process dead. Frames to it, and frames whose sending it has not completed, are lost.
  void bury(unsigned process);

  bool is_empty() const { return under_way_ == 0; }
  std::uint64_t frames() const { return frames_; }  ///< sent so far
  std::uint64_t corrupted() const { return corrupted_; }
  std::size_t receiving(unsigned process) const { return places_[process].receiving.size(); }

 private:
  struct Frame {
    Clock::time_point due;
    std::size_t bytes;
    bool is_corrupt;
    alignas(64) std::array<std::byte, kMostBytes> content;
  };
  struct Sending {
    ofi::Operation* operation;
    Clock::time_point due;
  };
  struct Place {
    std::vector<Sending> sending;
    std::vector<ofi::Operation*> receiving;
    std::vector<std::unique_ptr<Frame>> inbox;
    bool is_dead = false;
  };

  bool happens(std::uint32_t thousandths) {
    return thousandths > 0 && random_.below(1000) < thousandths;
  }
  Clock::duration any_below(Clock::duration limit);
  void depart(unsigned from, const ofi::Operation& operation);
  void post(unsigned from, const ofi::Operation& operation);
  std::size_t complete_sends(unsigned self, std::span<ofi::Completion> completions);
  std::size_t complete_receives(unsigned self, std::span<ofi::Completion> completions);
  ofi::Completion arrive(Place& place, std::size_t at);

  NetworkFaults faults_;
  unsigned slowness_;
  unsigned processes_;
  Random random_;
  Clock::time_point now_{std::chrono::hours(1)};
  std::vector<Place> places_;                ///< [process]
  std::vector<Clock::time_point> last_due_;  ///< [from · processes + to]
  std::vector<bool> cut_;                    ///< [from · processes + to]
  std::vector<std::unique_ptr<Frame>> spare_;
  std::uint64_t under_way_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t corrupted_ = 0;  ///< corrupted frames that have arrived
};

}  // namespace toroid::simulation
