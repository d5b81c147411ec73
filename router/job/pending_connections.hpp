// Connections to process 0 that have not yet proved that they belong to the job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/loop.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace asio::ssl {
class context;
}

namespace toroid::job {

/// Pending connections to process 0.
///
/// **Admission:** a peer becomes a member of the job when it has proved that it holds the job key
/// (see tls.hpp) and has said hello. A connection that sends anything else, or no proof within the
/// time limit, is closed and counted as refused. Not counted are connections that close without
/// having sent a byte, and those that close after their proof: a process that dials again does
/// that. Owned by process 0's Hub and called in the loop, with its mutex.
class PendingConnections {
 public:
  /// Why a process with this hello cannot be admitted; empty: it can.
  using Objection = std::function<std::string(const Message& hello)>;
  using Admit = std::function<void(const Message& hello, ConnectionPtr)>;

  /// `loop` and `tls` outlive it. `limit`: time for the proof.
  PendingConnections(Loop& loop, asio::ssl::context& tls, Clock::duration limit,
                     Objection objection, Admit admit);
  ~PendingConnections();

  void open(Socket listener);
  /// Closes the listener and all pending connections.
  void close();
  /// Number of connections refused so far.
  std::uint64_t refused() const { return refused_; }
  /// "; from 192.0.2.7 came one that does not hold the same key" for the last that failed to prove
  /// it; empty: there was none.
  std::string wrong_keys() const;

  /// Closes those that are overdue at `now`.
  void tick(Clock::time_point now);

 private:
  struct Pending {
    ConnectionPtr connection;
    Clock::time_point since;
    bool proved = false;
  };
  struct Listener;
  using Iterator = std::list<Pending>::iterator;

  void accept();
  void add(Socket socket);
  void handle_hello(Iterator pending, const Message& hello);
  void handle_end(Iterator pending, End how);
  void refuse_oldest();

  Loop& loop_;
  asio::ssl::context& tls_;
  Clock::duration limit_;
  Objection objection_;
  Admit admit_;
  Clock::time_point now_ = Clock::now();  ///< by the last tick()
  std::unique_ptr<Listener> listener_;
  std::list<Pending> pending_;  ///< the oldest first
  std::uint64_t refused_ = 0;
  std::string wrong_key_;  ///< address of the last one whose key is another; empty: there was none
};

}  // namespace toroid::job
