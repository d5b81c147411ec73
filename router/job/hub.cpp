// Process 0 of a job.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/key.hpp"
#include "router/job/member.hpp"
#include "router/job/membership.hpp"
#include "router/job/pending_connections.hpp"
#include "router/job/process_info.hpp"
#include "router/job/socket.hpp"
#include "router/job/suspicions.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {
namespace {

struct Peer {
  bool joined = false;  ///< has been admitted
  bool left = false;    ///< has left in order
  Clock::time_point heard{};
  struct Received {
    BlobKind kind;
    std::uint64_t sequence;
    Blob blob;
  };
  std::deque<Received> blobs;
  NumberedReport report;  ///< the last one, perhaps of a watch that has not begun here yet
};

class Hub final : public Member {
 public:
  Hub(Membership membership, const JobOptions& options)
      : Member(std::move(membership), options),
        peers_(membership_.size),
        connections_(membership_.size),
        pending_(
            loop_, *tls_, options_.silence,
            [this](const Message& hello) { return objection(hello); },
            [this](const Message& hello, ConnectionPtr connection) {
              admit(hello, std::move(connection));
            }) {}

  void join() override {
    session_ = random_word();
    if (membership_.size == 1) return;
    Lock lock(mutex_);
    Socket port = listener();
    roster_[0].address = own_address(port);
    pending_.open(std::move(port));
    join_until_ = Clock::now() + options_.patience;
    start();
    wait_until(lock, [this] { return missing_ == 0; });
  }

  std::uint64_t refused() override {
    const Lock lock(mutex_);
    return pending_.refused() + malformed_;
  }

  std::vector<Blob> gather(BlobKind kind, Bytes mine) override {
    std::vector<Blob> parts(membership_.size);
    parts[0].assign(mine.begin(), mine.end());
    receive(kind, parts);
    if (kind == BlobKind::all_gather && membership_.size > 1) distribute(parts);
    return parts;
  }

 private:
  Socket listener() {
    if (membership_.listener >= 0) return Socket(membership_.listener);
    TOROID_CHECK(!membership_.master.empty());
    return listen_as(membership_.master.front(), membership_.port);
  }

  // Collectives, called by the program's thread.
  void receive(BlobKind kind, std::vector<Blob>& parts) {
    Lock lock(mutex_);
    ++sequence_;
    wait_until(lock, [this] { return has_all_blobs(); });
    for (unsigned rank = 1; rank < peers_.size(); ++rank) {
      Peer::Received received = std::move(peers_[rank].blobs.front());
      peers_[rank].blobs.pop_front();
      if (received.kind != kind || received.sequence != sequence_) refuse_collective(rank);
      parts[rank] = std::move(received.blob);
    }
  }

  bool has_all_blobs() {
    bool all = true;
    for (unsigned rank = 1; rank < peers_.size(); ++rank) {
      if (!peers_[rank].blobs.empty()) continue;
      all = false;
      if (peers_[rank].left) set_failure(roster_.name(rank) + kEndedEarly);
    }
    return all;
  }

  [[noreturn]] void refuse_collective(unsigned rank) {
    set_failure(roster_.name(rank) + " is at another collective operation than process 0");
    throw RunFailed(failure_);
  }

  void distribute(const std::vector<Blob>& parts) {
    const auto packed = std::make_shared<const Blob>(pack(parts));
    const Lock lock(mutex_);
    const Message head = {{"kind", BlobKind::all_gather}, {"sequence", sequence_}};
    for (const ConnectionPtr& connection : connections_)
      if (connection) connection->outbox().push_blob(head, packed);
    wake_thread();
  }

  // Called by the thread.
  std::span<const ConnectionPtr> connections() const override { return connections_; }

  /// Throws where the hello lacks something.
  std::string objection(const Message& hello) const {
    info_of(hello);
    const unsigned rank = hello.at("rank");
    const unsigned size = hello.at("size");
    if (size != membership_.size)
      return fmt::format("this run has {} processes, not {}", membership_.size, size);
    if (rank == 0 || rank >= size) return fmt::format("there is no process {} to join", rank);
    return peers_[rank].joined ? fmt::format("there is a process {} already", rank) : "";
  }

  void admit(const Message& hello, ConnectionPtr connection) {
    const unsigned rank = hello.at("rank");
    connection->set_handlers(
        {.message = [this, rank](const Message& message) { handle(rank, message); },
         .blob = [this, rank](const Message& head,
                              Blob blob) { handle_blob(rank, head, std::move(blob)); },
         .heard = [this, rank] { peers_[rank].heard = clock_.now(); },
         .ended = [this, rank](End how) { handle_end(rank, how); }});
    connection->send({{"is", "welcome"}});
    if (!failure_.empty()) connection->send({{"is", "failure"}, {"why", failure_}});
    if (is_loopback(roster_[0].address) || !is_specific(roster_[0].address))
      roster_[0].address = connection->own_address();
    roster_[rank] = info_of(hello);
    peers_[rank].joined = true;
    peers_[rank].heard = clock_.now();
    connections_[rank] = std::move(connection);
    if (--missing_ == 0) send_table();
  }

  static bool is_specific(const std::string& address) {
    return address != "::" && address != "0.0.0.0";
  }

  void handle_end(unsigned rank, End how) {
    lose(rank, how, peers_[rank].left);
    connections_[rank].reset();
  }

  void handle(unsigned rank, const Message& message) {
    const std::string is = message.at("is");
    if (is == "report") return handle_report(rank, report_of(message));
    if (is == "ping") return answer_ping(rank, message);
    if (is == "failure") return set_failure(message.at("why"));
    if (is == "goodbye") return handle_goodbye(rank);
    if (is != "heartbeat") throw Malformed("not for process 0");
  }

  void handle_goodbye(unsigned rank) {
    peers_[rank].left = true;
    connections_[rank]->close();
    connections_[rank].reset();
    changed_.notify_all();
  }

  void send_table() {
    roster_.replace_loopback();
    send_to_all({{"is", "table"}, {"session", session_}, {"processes", roster_.encode()}});
    changed_.notify_all();
  }

  void answer_ping(unsigned rank, const Message& message) {
    connections_[rank]->send(
        {{"is", "pong"}, {"sent", message.at("sent")}, {"now", ClockOffset::stamp()}});
    connections_[rank]->flush();
  }

  void handle_blob(unsigned rank, const Message& head, Blob blob) {
    peers_[rank].blobs.push_back({head.at("kind"), head.at("sequence"), std::move(blob)});
    changed_.notify_all();
  }

  void tick() override {
    if (membership_.size > 1 && !leaving_) {
      pending_.tick(clock_.now());
      check_joined();
      check_silence();
      if (is_heartbeat_due()) send_heartbeats();
    }
    if (is_watching()) look_at_run();
  }

  void check_joined() {
    if (missing_ == 0 || Clock::now() < join_until_) return;
    std::vector<unsigned> absent;
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (!peers_[rank].joined) absent.push_back(rank);
    set_failure(fmt::format("process{} {} did not join within {:.1f} s{}",
                            absent.size() == 1 ? "" : "es", fmt::join(absent, ", "),
                            std::chrono::duration<double>(options_.patience).count(),
                            pending_.wrong_keys()));
  }

  void check_silence() {
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (connections_[rank] && clock_.now() - peers_[rank].heard > options_.silence)
        set_failure(roster_.name(rank) + unanswered());
  }

  /// Not where other bytes wait to be sent: they are as good a sign of life.
  void send_heartbeats() {
    for (const ConnectionPtr& connection : connections_)
      if (connection && connection->outbox().empty()) connection->send({{"is", "heartbeat"}});
  }

  void begin_watch() override {
    detector_.emplace(membership_.size, stall_, clock_.now());
    suspicions_.emplace(membership_.size);
    wave_ = answered_ = 0;
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (peers_[rank].report.watch == watch_) report(rank, peers_[rank].report.report, 0);
  }

  void handle_report(unsigned rank, const NumberedReport& numbered) {
    peers_[rank].report = numbered;
    if (is_watching() && numbered.watch == watch_) report(rank, numbered.report, numbered.wave);
  }

  void handle_own_report(const termination::MemberReport& own) override {
    if (!is_watching()) return;
    answered_ = detector_->wanted_wave();
    report(0, own, answered_);
  }

  void report(unsigned rank, const termination::MemberReport& report, std::uint32_t wave) {
    detector_->report(rank, report, wave);
    suspicions_->report(rank, report, clock_.now());
  }

  std::uint32_t wanted_wave() const override {
    const std::uint32_t wave = detector_ ? detector_->wanted_wave() : 0;
    return wave != answered_ ? wave : 0;
  }

  void look_at_run() {
    if (membership_.size == 1) clock_.step();
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (peers_[rank].left) set_failure(roster_.name(rank) + kEndedEarly);
    if (const auto suspicion = suspicions_->confirmed())
      set_failure(fmt::format("{} gets no answer from {}", roster_.name(suspicion->by),
                              roster_.name(suspicion->of)));
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

  void spread_failure(bool) override {
    for (const ConnectionPtr& connection : connections_)
      if (connection) send_failure(*connection);
  }

  void close_port() override { pending_.close(); }

  std::vector<Peer> peers_;                 ///< [rank]; the first is not used
  std::vector<ConnectionPtr> connections_;  ///< [rank]; the first is not used
  PendingConnections pending_;
  unsigned missing_ = membership_.size - 1;
  Clock::time_point join_until_{};
  std::optional<termination::TerminationDetector> detector_;  ///< of the run that is watched
  std::optional<Suspicions> suspicions_;
  std::uint32_t wave_ = 0;      ///< the last wave that the others have been asked for
  std::uint32_t answered_ = 0;  ///< the last wave that this process has answered
};

}  // namespace

std::unique_ptr<Member> make_hub(Membership membership, const JobOptions& options) {
  return std::make_unique<Hub>(std::move(membership), options);
}

}  // namespace toroid::job
