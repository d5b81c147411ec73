// One round of a block, run by a thread while other threads run other blocks.
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

/// A round receives the mail, runs some of the events before the block's bound, posts the block's
/// messages, and announces its horizon. The ParallelRun owns it. A thread must take the block
/// before it runs a round.
class alignas(64) BlockRunner {
 public:
  /// All arguments outlive it. `inbox`: the mail from every neighbour.
  BlockRunner(std::size_t number, Block& block, std::vector<Mail*> inbox, Outbox& outbox,
              Horizons& horizons);

  // Callable by any thread.
  /// Takes the block until release(). Returns false if another thread has it.
  [[nodiscard]] bool try_take() { return !taken_.load() && !taken_.exchange(true); }
  void release() { taken_.store(false); }
  bool is_taken() const { return taken_.load(); }
  /// The block's counts after some recent round.
  Block::Counts counts() const;

  // For the thread that has taken the block.
  /// Runs a round. Returns false if the block cannot go on; then nothing was announced.
  bool try_round();
  /// Hands all arrived mail to the block, whatever its bound.
  void receive();
  /// The number of rounds, which depends on the threads' speed.
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
  Tick horizon_ = 0;  ///< the horizon last announced
  std::uint64_t rounds_ = 0;
  unsigned empty_rounds_ = 0;  ///< number of rounds without events since the block last ran
  bool rests_ = false;
  std::uint64_t sent_ = 0;      ///< messages
  std::uint64_t received_ = 0;  ///< messages

  // release() pairs with the next try_take(), possibly by another thread.
  alignas(64) std::atomic<bool> taken_{false};
  // For progress reports. Relaxed: they need not be consistent with each other.
  alignas(64) std::atomic<Tick> end_{0};
  std::atomic<std::uint64_t> events_{0};
  std::atomic<std::uint64_t> delivered_{0};
};

}  // namespace toroid::sim
