// Connections to process 0 that have not yet proved that they belong to the job.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/network.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {

/// Pending connections to process 0.
///
/// **Admission:** a peer becomes a member of the job when it has proved that it holds the job key
/// (see Stream) and has said hello. A connection that sends anything else, or no proof within the
/// time limit, is closed and counted as refused. A connection that closes before it has sent a
/// byte, or after its proof, is not counted, because a process that dials again leaves such
/// connections. Owned by process 0's Hub.
class PendingConnections {
 public:
  /// Returns why a process with this hello cannot be admitted; empty if it can be admitted.
  using Objection = std::function<std::string(const Hello&)>;
  using Admit = std::function<void(const Hello&, std::unique_ptr<Connection>)>;

  /// `network` must outlive this object. `limit`: time for the proof.
  PendingConnections(Network& network, Clock::duration limit) : network_(network), limit_(limit) {}

  /// Closes the port and all pending connections.
  void close();
  /// Number of connections refused so far.
  std::uint64_t refused() const { return refused_; }
  /// "; a process at 192.0.2.7 does not hold the same key" for the latest peer with a wrong key,
  /// and a similar text for the latest peer of another version; empty if there was none.
  std::string wrong_keys() const;

  /// Accepts, reads, admits and closes connections as needed at `now`.
  void serve(Clock::time_point now, const Objection& objection, const Admit& admit);

 private:
  struct Pending {
    std::unique_ptr<Connection> connection;
    Clock::time_point since;
    std::optional<Hello> hello{};
    std::optional<std::string> other_version{};  ///< version of a peer with another protocol
  };
  using Iterator = std::list<Pending>::iterator;

  void accept(Clock::time_point now);
  void serve_one(Iterator pending, const Objection& objection, const Admit& admit);
  /// Why a peer with another protocol is refused. Notes its version.
  std::string refusal_of(Iterator pending);
  void answer(Iterator pending, const std::string& why, const Admit& admit);
  void close_one(Iterator pending, bool refused);

  Network& network_;
  Clock::duration limit_;
  std::list<Pending> pending_;  ///< the oldest first
  std::uint64_t refused_ = 0;
  std::string other_version_;  ///< version and address of the latest peer with another protocol
  std::string wrong_key_;  ///< address of the latest peer with a wrong key; empty if there was none
};

}  // namespace toroid::job
