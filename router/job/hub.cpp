// Process 0 of a job.
#include <fmt/core.h>
#include <poll.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
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
  Connection connection;
  bool joined = false;  ///< has sent its ProcessInfo
  bool left = false;    ///< has left in order
  bool lost = false;    ///< the run goes on without it
  Clock::time_point heard{};
  Clock::time_point moved{};  ///< when its workers were last seen to go round
  std::uint64_t rounds = 0;   ///< of its workers
  struct Received {
    BlobHead head;
    Blob blob;
  };
  std::deque<Received> blobs;
  NumberedReport report;  ///< the last one, perhaps of a watch that has not begun here yet
};

class Hub final : public Member {
 public:
  Hub(Membership membership, const JobOptions& options)
      : Member(std::move(membership), options),
        pending_(membership_.key, membership_.size, options_.silence),
        peers_(membership_.size) {}

  void join() override {
    session_ = random_word();
    if (membership_.size == 1) return;
    Lock lock(mutex_);
    pending_.open(listener());
    roster_[0].address = own_address(pending_.listener());
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
      if (peers_[rank].lost) continue;
      Peer::Received received = std::move(peers_[rank].blobs.front());
      peers_[rank].blobs.pop_front();
      if (received.head.kind != kind || received.head.sequence != sequence_)
        refuse_collective(rank);
      parts[rank] = std::move(received.blob);
    }
  }

  bool has_all_blobs() {
    bool all = true;
    for (unsigned rank = 1; rank < peers_.size(); ++rank) {
      if (!peers_[rank].blobs.empty() || peers_[rank].lost) continue;
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
    const BlobHead head{BlobKind::all_gather, 0, sequence_, packed->size()};
    for (Peer& peer : peers_)
      if (peer.connection) peer.connection.outbox().push_blob(head, packed);
    wake_thread();
  }

  // Called by the thread.
  void add_to(std::vector<pollfd>& polled) override {
    pending_.add_to(polled);
    for (Peer& peer : peers_) peer.connection.add_to(polled);
  }

  void serve(const std::vector<pollfd>& polled) override {
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (peers_[rank].connection) serve_peer(rank, polled);
    pending_.serve(
        polled, clock_.now(), [this](std::uint32_t rank) { return objection(rank); },
        [this](std::uint32_t rank, Connection connection) { admit(rank, std::move(connection)); });
  }

  void serve_peer(unsigned rank, const std::vector<pollfd>& polled) {
    Peer& peer = peers_[rank];
    const Handlers handlers{
        [&](Type type, Bytes payload) { handle_frame(rank, type, payload); },
        [&](const BlobHead& head, Blob blob) { handle_blob(rank, head, std::move(blob)); }, false};
    switch (serve_connection(peer.connection, polled, handlers)) {
      case Served::nothing:
        return;
      case Served::heard:
        peer.heard = clock_.now();
        if (peer.left) peer.connection.close();
        return;
      case Served::malformed:
        ++malformed_;
        set_failure(roster_.name(rank) + kMalformed);
        return peer.connection.close();
      case Served::end:
        if (!peer.left) lose(rank, roster_.name(rank) + kDied);
        return peer.connection.close();
    }
  }

  /// The job fails, or the run that is watched goes on without the process.
  void lose(unsigned rank, const std::string& why) {
    if (!goes_on_without() || !failure_.empty()) return set_failure(why);
    Peer& peer = peers_[rank];
    peer.lost = true;
    part_from(peer, why);
    peer.blobs.clear();
    detector_->lose(rank);
    for (Peer& other : peers_) other.moved = clock_.now();
    send_to_all(Type::loss, Writer().put(rank).put_text(why).bytes());
    note_loss({rank, why});
  }

  /// One that hangs hears why it is not missed when it goes on, if that gets through.
  static void part_from(Peer& peer, const std::string& why) {
    peer.connection.outbox().drop_unwritten();
    peer.connection.send(Type::failure, Writer().put_text(why).bytes());
    (void)peer.connection.write();
    peer.connection.close();
  }

  std::string objection(std::uint32_t rank) const {
    const Peer& peer = peers_[rank];
    const bool taken = peer.connection || peer.joined || peer.left;
    return taken ? fmt::format("there is a process {} already", rank) : "";
  }

  void admit(std::uint32_t rank, Connection connection) {
    Peer& peer = peers_[rank];
    peer.connection = std::move(connection);
    peer.connection.allow(kMaxFrame);
    peer.heard = clock_.now();
    if (!failure_.empty()) send_failure(peer);
    if (is_loopback(roster_[0].address) || !is_specific(roster_[0].address))
      roster_[0].address = own_address(peer.connection.socket());
  }

  static bool is_specific(const std::string& address) {
    return address != "::" && address != "0.0.0.0";
  }

  void handle_frame(unsigned rank, Type type, Bytes payload) {
    Reader reader(payload);
    switch (type) {
      case Type::info:
        return handle_info(rank, reader);
      case Type::ping:
        return answer_ping(peers_[rank], reader);
      case Type::report:
        return handle_report(rank, decode_report(payload));
      case Type::failure:
        return set_failure(reader.get_text());
      case Type::goodbye:
        peers_[rank].left = true;
        return changed_.notify_all();
      case Type::heartbeat:
        return;
      default:
        throw Malformed("not for process 0");
    }
  }

  void handle_info(unsigned rank, Reader& reader) {
    if (peers_[rank].joined) throw Malformed("it has joined already");
    roster_[rank] = decode_info(reader);
    peers_[rank].joined = true;
    if (--missing_ == 0) send_table();
  }

  void send_table() {
    roster_.replace_loopback();
    const auto table = std::make_shared<const Blob>(roster_.encode(session_));
    for (Peer& peer : peers_)
      if (peer.connection)
        peer.connection.outbox().push_blob({BlobKind::table, 0, 0, table->size()}, table);
    changed_.notify_all();
  }

  static void answer_ping(Peer& peer, Reader& reader) {
    const auto now = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
    peer.connection.send(Type::pong, Writer().put(reader.get<std::uint64_t>()).put(now).bytes());
  }

  void handle_blob(unsigned rank, const BlobHead& head, Blob blob) {
    peers_[rank].blobs.push_back({head, std::move(blob)});
    changed_.notify_all();
  }

  void tick() override {
    if (membership_.size > 1 && !leaving_) {
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
      if (peers_[rank].connection && clock_.now() - peers_[rank].heard > options_.silence)
        lose(rank, roster_.name(rank) + unanswered());
  }

  /// Not where other bytes wait to be sent: they are as good a sign of life.
  void send_heartbeats() {
    for (Peer& peer : peers_)
      if (peer.joined && peer.connection && peer.connection.outbox().empty())
        peer.connection.send(Type::heartbeat);
  }

  void begin_watch() override {
    detector_.emplace(membership_.size, stall_, clock_.now());
    suspicions_.emplace(membership_.size);
    for (const Loss& loss : losses_) detector_->lose(loss.rank);
    for (Peer& peer : peers_) peer.moved = clock_.now();
    wave_ = answered_ = 0;
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (peers_[rank].report.watch == watch_) report(rank, peers_[rank].report.report, 0);
  }

  void handle_report(unsigned rank, const NumberedReport& numbered) {
    note_motion(rank, numbered.report);
    peers_[rank].report = numbered;
    if (is_watching() && numbered.watch == watch_) report(rank, numbered.report, numbered.wave);
  }

  void handle_own_report(const termination::MemberReport& own) override {
    if (!is_watching()) return;
    answered_ = detector_->wanted_wave();
    note_motion(0, own);
    report(0, own, answered_);
  }

  /// Whether the process goes round, and without all that are lost.
  void note_motion(unsigned rank, const termination::MemberReport& report) {
    Peer& peer = peers_[rank];
    if (report.rounds != peer.rounds && report.without == losses_.size()) peer.moved = clock_.now();
    peer.rounds = report.rounds;
  }

  /// A worker may be stuck in the network's library for want of the process that is lost.
  void check_motion() {
    if (losses_.empty()) return;
    for (unsigned rank = 0; rank < peers_.size(); ++rank)
      if (!peers_[rank].lost && clock_.now() - peers_[rank].moved > 2 * options_.silence)
        return set_failure(roster_.name(rank) + " does not go on without " +
                           roster_.name(losses_.back().rank));
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
    check_motion();
    if (!failure_.empty()) return;
    if (detector_->is_quiescent()) return announce(termination::Verdict::quiescent);
    if (detector_->is_stalled(clock_.now())) return announce(termination::Verdict::stalled);
    ask_for_wave();
  }

  void ask_for_wave() {
    const std::uint32_t wave = detector_->wanted_wave();
    if (wave == 0 || wave == std::exchange(wave_, wave)) return;
    send_to_all(Type::wave, Writer().put(watch_).put(wave).bytes());
  }

  void announce(termination::Verdict verdict) {
    const auto code = static_cast<std::uint32_t>(verdict);
    send_to_all(Type::verdict, Writer().put(watch_).put(code).bytes());
    decide(verdict);
  }

  void send_to_all(Type type, const Blob& payload) {
    for (Peer& peer : peers_)
      if (peer.connection) peer.connection.send(type, payload);
  }

  void spread_failure(bool) override {
    for (Peer& peer : peers_)
      if (peer.connection) send_failure(peer);
  }

  void send_failure(Peer& peer) {
    peer.connection.outbox().drop_unwritten();
    peer.connection.send(Type::failure, Writer().put_text(failure_).bytes());
  }

  void send_goodbye() override {
    pending_.close();
    for (Peer& peer : peers_) peer.connection.outbox().push(frame(Type::goodbye));
  }

  bool has_unwritten() override {
    for (Peer& peer : peers_)
      if (peer.connection && !peer.connection.outbox().empty()) return true;
    return false;
  }

  bool is_connected() override {
    for (const Peer& peer : peers_)
      if (peer.connection) return true;
    return false;
  }

  PendingConnections pending_;
  std::vector<Peer> peers_;  ///< [rank]; the first is not used
  unsigned missing_ = membership_.size - 1;
  Clock::time_point join_until_{};
  std::uint64_t malformed_ = 0;
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
