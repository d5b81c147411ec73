// Where connections to process 0 wait until they have proved that they belong to the run. Whoever
// else comes, and whatever it sends, is closed; counted is who sends what proves nothing, or stays
// without proving anything.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "router/job/awake_clock.hpp"
#include "router/job/connection.hpp"
#include "router/job/key.hpp"
#include "router/job/proof.hpp"
#include "router/job/socket.hpp"

namespace toroid::job {

class Lobby {
 public:
  /// Why a process of this rank has no place; empty: it has one.
  using Objection = std::function<std::string(std::uint32_t rank)>;
  using Admit = std::function<void(std::uint32_t rank, Connection)>;

  /// Whoever has not proved that it belongs here after this time is refused.
  Lobby(const JobKey& key, unsigned size, Clock::duration time)
      : key_(key), size_(size), time_(time) {}

  void open(Socket listener) { listener_ = std::move(listener); }
  void close();
  const Socket& listener() const { return listener_; }
  std::uint64_t refused() const { return refused_; }

  void join(std::vector<pollfd>& polled);
  void serve(const std::vector<pollfd>& polled, Clock::time_point now, const Objection& objection,
             const Admit& admit);

 private:
  struct Guest {
    Connection connection;
    Clock::time_point since;
    Nonce challenge = draw_nonce();
    bool proved = false;
    Claim claim{};
  };

  void dismiss(std::list<Guest>::iterator guest);
  void let_in(Clock::time_point now);
  bool hears(Guest& guest);
  bool has_place(Guest& guest, const Objection& objection);
  void refuse_overdue(Clock::time_point now);

  const JobKey& key_;
  unsigned size_;
  Clock::duration time_;
  Socket listener_;
  std::size_t entry_ = 0;    ///< of the listener, in the poll
  std::list<Guest> guests_;  ///< by age
  std::uint64_t refused_ = 0;
};

}  // namespace toroid::job
