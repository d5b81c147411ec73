// Process 0 of a job.
#include <fmt/core.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/failure_detector.hpp"
#include "router/job/job.hpp"
#include "router/job/listening_socket.hpp"
#include "router/job/member.hpp"
#include "router/job/network.hpp"
#include "router/job/pending_connections.hpp"
#include "router/job/process_info.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {
namespace {

/// Process 0's record of a process, apart from its connection.
struct Guest {
  bool joined = false;
  bool lost = false;          ///< the run goes on without it
  Clock::time_point moved{};  ///< when its workers were last seen to complete a round
  std::uint64_t rounds = 0;   ///< rounds of its workers
  struct Received {
    BlobKind kind = BlobKind::gather;
    std::uint64_t sequence = 0;
    Blob blob;
  };
  std::deque<Received> blobs{};
  NumberedReport report{};  ///< the last report, perhaps for a watch that has not begun here yet
};

class Hub final : public Member {
 public:
  Hub(Bootstrap bootstrap, const JobOptions& options, ProcessInfo self, Network& network)
      : Member(std::move(bootstrap), options, std::move(self), network),
        pending_(network, options_.silence),
        guests_(bootstrap_.size) {}

  void begin() override {
    session_ = network_.random_word();
    joined_ = bootstrap_.size == 1;
    if (joined_) return;
    roster_[0].address = network_.listen(bootstrap_);
    join_until_ = network_.now() + options_.patience;
  }

  void begin_gather(BlobKind kind, Blob mine) override {
    ++sequence_;
    kind_ = kind;
    own_ = std::move(mine);
  }

  bool is_gathered() override {
    bool all = true;
    for (unsigned rank = 1; rank < peers_.size(); ++rank) {
      if (guests_[rank].lost) continue;
      if (!guests_[rank].blobs.empty()) {
        check_collective(rank);
        continue;
      }
      all = false;
      is_deserted_by(rank);
    }
    return all;
  }

  std::vector<Blob> take_gathered() override {
    std::vector<Blob> parts(bootstrap_.size);
    parts[0] = std::move(own_);
    for (unsigned rank = 1; rank < peers_.size(); ++rank) {
      if (guests_[rank].lost) continue;
      parts[rank] = std::move(guests_[rank].blobs.front().blob);
      guests_[rank].blobs.pop_front();
    }
    return parts;
  }

  void distribute(const std::vector<std::size_t>& sizes,
                  const std::shared_ptr<const Blob>& all) override {
    for (Peer& peer : peers_)
      if (peer.connection)
        peer.connection->push_blobs(
            {{"is", "blobs"}, {"kind", BlobKind::all_gather}, {"sequence", sequence_}}, sizes, all);
  }

  void report(const termination::MemberReport& own) override {
    if (!is_watching()) return;
    answered_ = detector_->wanted_wave();
    note_motion(0, own);
    take_report(0, own, answered_);
  }

 private:
  void check_collective(unsigned rank) {
    const Guest::Received& next = guests_[rank].blobs.front();
    if (next.kind != kind_ || next.sequence != sequence_)
      set_failure(roster_.name(rank) + " calls a different collective operation than process 0");
  }

  void serve_others() override {
    if (leaving_) return pending_.close();
    pending_.serve(
        clock_.now(), [this](const Hello& hello) { return objection(hello); },
        [this](const Hello& hello, std::unique_ptr<Connection> connection) {
          admit(hello, std::move(connection));
        });
  }

  std::uint64_t refused_others() const override { return pending_.refused(); }

  std::string objection(const Hello& hello) const {
    if (hello.size != bootstrap_.size)
      return fmt::format("this run has {} processes, not {}", bootstrap_.size, hello.size);
    if (hello.rank == 0 || hello.rank >= hello.size)
      return fmt::format(
          "process {} cannot join this job: its rank must be from 1 to the number of "
          "processes minus 1",
          hello.rank);
    return guests_[hello.rank].joined ? fmt::format("process {} has already joined", hello.rank)
                                      : "";
  }

  void admit(const Hello& hello, std::unique_ptr<Connection> connection) {
    std::string& own = roster_[0].address;
    if (is_loopback(own) || own == "::" || own == "0.0.0.0") own = connection->own_address();
    add_peer(hello.rank, std::move(connection));
    guests_[hello.rank].joined = true;
    roster_[hello.rank] = hello.process;
    if (--missing_ == 0) send_table();
  }

  void send_table() {
    roster_.replace_loopback();
    send_to_all({{"is", "table"}, {"session", session_}, {"processes", roster_.infos()}});
    joined_ = true;
    changed_ = true;
  }

  void handle(unsigned rank, const Message& message, std::vector<Blob> blobs) override {
    const std::string is = message.at("is");
    if (is == "report") return handle_report(rank, message.at("report"));
    if (is == "blobs") return handle_blobs(rank, message, std::move(blobs));
    if (is != "ping") throw Malformed("unknown message for process 0");
    peers_[rank].connection->send({{"is", "pong"},
                                   {"sent", message.at("sent")},
                                   {"now", ClockOffset::stamp(network_.now())}});
  }

  void handle_blobs(unsigned rank, const Message& message, std::vector<Blob> blobs) {
    if (blobs.size() != 1) throw Malformed("expected one blob");
    guests_[rank].blobs.push_back(
        {message.at("kind"), message.at("sequence"), std::move(blobs.front())});
    changed_ = true;
  }

  /// Fails the job, or lets the watched run go on without the process.
  void miss(unsigned rank, const std::string& why) override {
    if (!goes_on_without() || !failure_.empty()) return set_failure(why);
    guests_[rank].lost = true;
    guests_[rank].blobs.clear();
    part_from(peers_[rank].connection, why);
    detector_->lose(rank);
    for (Guest& other : guests_) other.moved = clock_.now();
    send_to_all({{"is", "loss"}, {"rank", rank}, {"why", why}});
    note_loss({rank, why});
  }

  /// Closes a connection. Tries to send the reason first, in case the process only hangs.
  static void part_from(std::unique_ptr<Connection>& connection, const std::string& why) {
    if (!connection) return;
    connection->drop_unwritten();
    connection->send({{"is", "failure"}, {"why", why}});
    connection->write();
    connection.reset();
  }

  void tick() override {
    if (!joined_ && !leaving_) check_joined();
    if (is_watching()) look_at_run();
  }

  void check_joined() {
    if (network_.now() < join_until_) return;
    std::vector<unsigned> absent;
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (!guests_[rank].joined) absent.push_back(rank);
    set_failure(fmt::format("process{} {} did not join within {:.1f} s{}",
                            absent.size() == 1 ? "" : "es", fmt::join(absent, ", "),
                            std::chrono::duration<double>(options_.patience).count(),
                            pending_.wrong_keys()));
  }

  void prepare_watch() override {
    detector_.emplace(bootstrap_.size, stall_, clock_.now());
    failure_detector_.emplace(bootstrap_.size, options_.persistence);
    for (const Loss& loss : losses_) detector_->lose(loss.rank);
    for (Guest& guest : guests_) guest.moved = clock_.now();
    wave_ = answered_ = 0;
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (guests_[rank].report.watch == watch_) take_report(rank, guests_[rank].report.report, 0);
  }

  void handle_report(unsigned rank, const NumberedReport& numbered) {
    note_motion(rank, numbered.report);
    guests_[rank].report = numbered;
    if (is_watching() && numbered.watch == watch_)
      take_report(rank, numbered.report, numbered.wave);
  }

  /// Sets Guest::moved if the report shows a new round and already leaves out the packets of all
  /// lost processes.
  void note_motion(unsigned rank, const termination::MemberReport& report) {
    Guest& guest = guests_[rank];
    if (report.rounds != guest.rounds && report.without == losses_.size())
      guest.moved = clock_.now();
    guest.rounds = report.rounds;
  }

  /// Fails the job if a process does not go on after a loss: a worker may be stuck in the network's
  /// library, waiting for the lost process.
  void check_motion() {
    if (losses_.empty()) return;
    for (unsigned rank = 0; rank < guests_.size(); ++rank)
      if (!guests_[rank].lost && clock_.now() - guests_[rank].moved > 2 * options_.silence)
        return set_failure(roster_.name(rank) + " does not go on without " +
                           roster_.name(losses_.back().rank));
  }

  void take_report(unsigned rank, const termination::MemberReport& report, std::uint32_t wave) {
    detector_->report(rank, report, wave);
    failure_detector_->report(rank, report, clock_.now());
  }

  std::uint32_t wanted_wave() const override {
    const std::uint32_t wave = detector_ ? detector_->wanted_wave() : 0;
    return wave != answered_ ? wave : 0;
  }

  void look_at_run() {
    for (unsigned rank = 1; rank < peers_.size(); ++rank) is_deserted_by(rank);
    if (const auto suspicion = failure_detector_->confirmed())
      set_failure(fmt::format("{} gets no answer from {}", roster_.name(suspicion->by),
                              roster_.name(suspicion->of)));
    check_motion();
    if (!failure_.empty()) return;
    if (detector_->is_quiescent()) return announce(termination::Verdict::quiescent);
    if (detector_->is_stalled(clock_.now())) return announce(termination::Verdict::stalled);
    ask_for_wave();
  }

  void ask_for_wave() {
    const std::uint32_t wave = detector_->wanted_wave();
    if (wave == 0 || wave == std::exchange(wave_, wave)) return;
    send_to_all({{"is", "wave"}, {"watch", watch_}, {"wave", wave}});
  }

  void announce(termination::Verdict verdict) {
    send_to_all({{"is", "verdict"}, {"watch", watch_}, {"verdict", verdict}});
    decide(verdict);
  }

  PendingConnections pending_;
  BlobKind kind_ = BlobKind::gather;  ///< of the current collective
  Blob own_;                          ///< this process's bytes in it
  std::vector<Guest> guests_;         ///< [rank]; the first is this process
  unsigned missing_ = bootstrap_.size - 1;
  Clock::time_point join_until_{};
  std::optional<termination::TerminationDetector> detector_;  ///< for the watched run
  std::optional<FailureDetector> failure_detector_;
  std::uint32_t wave_ = 0;      ///< the latest wave requested from the others
  std::uint32_t answered_ = 0;  ///< the latest wave that this process has answered
};

}  // namespace

std::unique_ptr<Member> make_hub(Bootstrap bootstrap, const JobOptions& options, ProcessInfo self,
                                 Network& network) {
  return std::make_unique<Hub>(std::move(bootstrap), options, std::move(self), network);
}

}  // namespace toroid::job
