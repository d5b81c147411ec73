// Connects a process with process 0 of its job.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "router/job/bootstrap.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/network.hpp"

namespace toroid::job {

/// Dials process 0: both ends prove that they hold the key, then this end says hello and waits for
/// the welcome.
///
/// **Rounds:** each round tries all addresses of process 0, one after the other; then there is a
/// pause. **End:** process 0 welcomes this process; or it refuses this process with a reason, or
/// the patience is over, or every round has met a wrong key for some seconds. Owned by a Leaf.
class Dialer {
 public:
  /// `network` and `bootstrap` must outlive this object. `self`: the introduction of this process.
  Dialer(Network& network, const Bootstrap& bootstrap, std::chrono::milliseconds patience,
         ProcessInfo self);

  /// Goes on as far as possible without waiting. Returns the connection on which process 0 has
  /// welcomed this process; null while there is none. Throws RunFailed at an end without a welcome.
  /// May block while it resolves a name.
  std::unique_ptr<Connection> step();
  /// Returns the connection on which this process has said hello and waits for the welcome; null
  /// if there is none. REQUIRES: step() is not called again.
  std::unique_ptr<Connection> hang_up() {
    return connection_ && !connection_->has_unwritten() ? std::move(connection_) : nullptr;
  }

 private:
  bool begin();
  void begin_round();
  bool find_address();
  bool pause();
  void allow(std::chrono::milliseconds time);
  bool is_hopeless() const;
  [[noreturn]] void give_up() const;
  bool follow_call();
  void say_hello(std::unique_ptr<Stream> stream);
  bool is_welcomed();
  void note_refusal(std::optional<End> end);

  Network& network_;
  const Bootstrap& bootstrap_;
  ProcessInfo self_;
  Clock::time_point began_ = network_.now();
  Clock::time_point until_;                   ///< the end of the patience
  std::size_t host_ = 0;                      ///< index of the host to resolve next
  std::deque<std::string> addresses_{};       ///< to be tried next in this round
  std::string address_{};                     ///< the address that is being tried
  std::unique_ptr<Call> call_{};              ///< until it is connected
  std::unique_ptr<Connection> connection_{};  ///< then until the welcome
  Clock::time_point limit_{};                 ///< of the present attempt, or of the pause
  bool pauses_ = false;
  std::optional<Clock::time_point> refused_{};  ///< time of the first refusal for a wrong key
  std::string why_ = "no address is known";
};

}  // namespace toroid::job
