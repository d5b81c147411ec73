// What threads do with a block while others run the other blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/tick.hpp"
#include "router/sim/block.hpp"
#include "router/sim/horizons.hpp"
#include "router/sim/outbox.hpp"

namespace toroid::sim {

/// A round: receives the mail, runs the block for some events, at most to its bound, posts what it
/// has sent and announces how far it is. The run owns it. A thread that wants to go round has to
/// take the block.
class alignas(64) BlockRunner {
 public:
  /// All live as long as it. `inbox`: the mail from every neighbour.
  BlockRunner(std::size_t number, Block& block, std::vector<Mail*> inbox, Outbox& outbox,
              Horizons& horizons);

  // For any thread.
  /// Nobody else has the block before release().
  [[nodiscard]] bool try_take() { return !taken_.load() && !taken_.exchange(true); }
  void release() { taken_.store(false); }
  bool is_taken() const { return taken_.load(); }
  /// What the block had counted after some recent round.
  Block::Counts counts() const;

  // For the thread that has taken the block.
  /// False: the block cannot go on, and nothing was announced.
  bool try_round();
  /// Hands what has come to the block, whatever its bound.
  void receive();
  /// The number of rounds. It depends on threads' speed.
  std::uint64_t rounds() const { return rounds_; }

 private:
  void run(Tick bound);
  Tick reached(Tick bound) const;
  void announce(Tick horizon);
  void rest();
  void wake();

  std::size_t number_;
  Block& block_;
  std::vector<Mail*> inbox_;
  Outbox& outbox_;
  Horizons& horizons_;
  Tick horizon_ = 0;  ///< as announced
  std::uint64_t rounds_ = 0;
  unsigned empty_rounds_ = 0;  ///< since the block last ran
  bool rests_ = false;
  std::uint64_t sent_ = 0;      ///< messages
  std::uint64_t received_ = 0;  ///< likewise

  // release() pairs with the next try_take(), which may be another thread's.
  alignas(64) std::atomic<bool> taken_{false};
  // For progress reports, hence relaxed: they need not fit each other.
  alignas(64) std::atomic<Tick> end_{0};
  std::atomic<std::uint64_t> events_{0};
  std::atomic<std::uint64_t> delivered_{0};
};

}  // namespace toroid::sim
