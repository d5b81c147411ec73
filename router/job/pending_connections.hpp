// Connections to process 0 that have not yet proved that they belong to the job.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/key.hpp"
#include "router/job/proof.hpp"
#include "router/job/socket.hpp"

namespace toroid::job {

/// Pending connections to process 0.
///
/// **Admission:** a peer becomes a member of the job when it proves knowledge of the job key; see
/// proof.hpp. A connection that sends anything else, or no proof within the time limit, is closed
/// and counted as refused. Not counted are connections that close without having sent a byte, and
/// those that close after their proof: a process that dials again does that.
/// Owned by process 0's Hub and called by the job's thread, with the hub's mutex.
class PendingConnections {
 public:
  /// Why a process of this rank cannot be admitted; empty: it can.
  using Objection = std::function<std::string(std::uint32_t rank)>;
  using Admit = std::function<void(std::uint32_t rank, Connection)>;

  /// `key` outlives it. `size`: processes of the job. `limit`: time for the proof.
  PendingConnections(const JobKey& key, unsigned size, Clock::duration limit)
      : key_(key), size_(size), limit_(limit) {}

  void open(Socket listener) { listener_ = std::move(listener); }
  /// Closes the listener and all pending connections.
  void close();
  const Socket& listener() const { return listener_; }
  /// Number of connections refused so far.
  std::uint64_t refused() const { return refused_; }

  /// "; from 192.0.2.7 came one that does not hold the same key" for the last that failed to prove
  /// it; empty: there was none.
  std::string wrong_keys() const;

  /// Adds listener and connections to those that poll() is to wait for.
  void add_to(std::vector<pollfd>& polled);
  /// Accepts, reads, admits and closes, by what poll() has found at `now`.
  void serve(const std::vector<pollfd>& polled, Clock::time_point now, const Objection& objection,
             const Admit& admit);

 private:
  struct Pending {
    Connection connection;
    Clock::time_point since;
    Nonce challenge = draw_nonce();
    bool proved = false;
    Claim claim{};
  };

  using Iterator = std::list<Pending>::iterator;

  void serve_one(Iterator pending, const std::vector<pollfd>& polled, const Objection& objection,
                 const Admit& admit);
  void close_one(Iterator pending);
  void accept_new(Clock::time_point now);
  bool read_proof(Pending& pending);
  bool is_admissible(Pending& pending, const Objection& objection);
  void refuse_overdue(Clock::time_point now);

  const JobKey& key_;
  unsigned size_;
  Clock::duration limit_;
  Socket listener_;
  std::size_t entry_ = 0;       ///< index of the listener in what was polled
  std::list<Pending> pending_;  ///< the oldest first
  std::uint64_t refused_ = 0;
  std::string wrong_key_;  ///< address of the last one whose key is another; empty: there was none
};

}  // namespace toroid::job
