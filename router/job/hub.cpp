// Process 0: it admits the others, passes on what they say and decides how a run ends.
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
#include "router/job/awake_clock.hpp"
#include "router/job/blob.hpp"
#include "router/job/connection.hpp"
#include "router/job/job.hpp"
#include "router/job/key.hpp"
#include "router/job/member.hpp"
#include "router/job/membership.hpp"
#include "router/job/pending_connections.hpp"
#include "router/job/process_info.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {
namespace {

struct Peer {
  Connection connection;
  bool joined = false;  ///< has said who it is
  bool left = false;    ///< has said goodbye
  Clock::time_point heard{};
  struct Received {
    BlobHead head;
    Blob blob;
  };
  std::deque<Received> blobs;
  NumberedReport report;  ///< the last one, perhaps of a run that does not run here yet
};

class Hub final : public Party {
 public:
  Hub(Membership membership, const JobOptions& options)
      : Party(std::move(membership), options),
        lobby_(membership_.key, membership_.size, options_.silence),
        peers_(membership_.size) {}

  void join() override {
    session_ = random_word();
    if (membership_.size == 1) return;
    Lock lock(mutex_);
    lobby_.open(listener());
    roster_[0].address = own_address(lobby_.listener());
    join_until_ = Clock::now() + options_.patience;
    start();
    wait_until(lock, [this] { return missing_ == 0; });
  }

  std::uint64_t refused() override {
    const Lock lock(mutex_);
    return lobby_.refused() + malformed_;
  }

  std::vector<Blob> collect(BlobKind kind, Bytes mine) override {
    std::vector<Blob> parts(membership_.size);
    parts[0].assign(mine.begin(), mine.end());
    receive(kind, parts);
    if (kind == BlobKind::all_gather && membership_.size > 1) distribute(parts);
    return parts;
  }

 private:
  Socket listener() {
    if (membership_.listener >= 0) return Socket(membership_.listener);
    for (const std::string& address : membership_.master)
      if (!is_loopback(address)) return listen_on_all(membership_.port);
    TOROID_CHECK(!membership_.master.empty());
    return listen_on(membership_.master.front(), membership_.port);
  }

  // Collectives, on the caller's thread.
  void receive(BlobKind kind, std::vector<Blob>& parts) {
    Lock lock(mutex_);
    ++sequence_;
    wait_until(lock, [this] { return is_all_there(); });
    for (unsigned rank = 1; rank < peers_.size(); ++rank) {
      Peer::Received received = std::move(peers_[rank].blobs.front());
      peers_[rank].blobs.pop_front();
      if (received.head.kind != kind || received.head.sequence != sequence_) disagree(rank);
      parts[rank] = std::move(received.blob);
    }
  }

  bool is_all_there() {
    bool all = true;
    for (unsigned rank = 1; rank < peers_.size(); ++rank) {
      if (!peers_[rank].blobs.empty()) continue;
      all = false;
      if (peers_[rank].left) set_failure(roster_.name(rank) + kEndedEarly);
    }
    return all;
  }

  [[noreturn]] void disagree(unsigned rank) {
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

  // The thread.
  void add_to(std::vector<pollfd>& polled) override {
    lobby_.join(polled);
    for (Peer& peer : peers_) peer.connection.join(polled);
  }

  void serve(const std::vector<pollfd>& polled) override {
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (peers_[rank].connection) serve_peer(rank, polled);
    lobby_.serve(
        polled, clock_.now(), [this](std::uint32_t rank) { return objection(rank); },
        [this](std::uint32_t rank, Connection connection) { admit(rank, std::move(connection)); });
  }

  void serve_peer(unsigned rank, const std::vector<pollfd>& polled) {
    Peer& peer = peers_[rank];
    const Handlers handlers{
        [&](Type type, Bytes payload) { take_frame(rank, type, payload); },
        [&](const BlobHead& head, Blob blob) { take_blob(rank, head, std::move(blob)); }, false};
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
        if (!peer.left) set_failure(roster_.name(rank) + kDied);
        return peer.connection.close();
    }
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

  void take_frame(unsigned rank, Type type, Bytes payload) {
    Reader reader(payload);
    switch (type) {
      case Type::info:
        return take_info(rank, reader);
      case Type::ping:
        return answer_ping(peers_[rank], reader);
      case Type::report:
        return take_peers_report(rank, decode_report(payload));
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

  void take_info(unsigned rank, Reader& reader) {
    if (peers_[rank].joined) throw Malformed("it has joined already");
    roster_[rank] = decode_info(reader);
    peers_[rank].joined = true;
    if (--missing_ == 0) open_run();
  }

  void open_run() {
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

  void take_blob(unsigned rank, const BlobHead& head, Blob blob) {
    peers_[rank].blobs.push_back({head, std::move(blob)});
    changed_.notify_all();
  }

  void tick() override {
    if (membership_.size > 1 && !leaving_) {
      check_joined();
      check_silence();
      if (beat()) send_heartbeats();
    }
    if (is_watching()) rule();
  }

  void check_joined() {
    if (missing_ == 0 || Clock::now() < join_until_) return;
    std::vector<unsigned> absent;
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (!peers_[rank].joined) absent.push_back(rank);
    set_failure(fmt::format("process{} {} did not join within {:.1f} s",
                            absent.size() == 1 ? "" : "es", fmt::join(absent, ", "),
                            std::chrono::duration<double>(options_.patience).count()));
  }

  void check_silence() {
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (peers_[rank].connection && clock_.now() - peers_[rank].heard > options_.silence)
        set_failure(roster_.name(rank) + unanswered());
  }

  /// Where other bytes wait they are as good.
  void send_heartbeats() {
    for (Peer& peer : peers_)
      if (peer.joined && peer.connection && peer.connection.outbox().empty())
        peer.connection.send(Type::heartbeat);
  }

  // The run that is watched.
  void begin_watch() override {
    judge_.emplace(membership_.size, stall_, clock_.now());
    wave_ = answered_ = 0;
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (peers_[rank].report.watch == watch_)
        judge_->take(rank, 0, peers_[rank].report.report, clock_.now());
  }

  void take_peers_report(unsigned rank, const NumberedReport& numbered) {
    peers_[rank].report = numbered;
    if (is_watching() && numbered.watch == watch_)
      judge_->take(rank, numbered.wave, numbered.report, clock_.now());
  }

  void take_report(const RunReport& report) override {
    if (!is_watching()) return;
    answered_ = judge_->wave();
    judge_->take(0, answered_, report, clock_.now());
  }

  std::uint32_t wanted_wave() const override {
    return judge_ && judge_->wave() != answered_ ? judge_->wave() : 0;
  }

  void rule() {
    if (membership_.size == 1) clock_.step();
    for (unsigned rank = 1; rank < peers_.size(); ++rank)
      if (peers_[rank].left) set_failure(roster_.name(rank) + kEndedEarly);
    if (const auto suspicion = judge_->suspicion())
      set_failure(fmt::format("{} gets no answer from {}", roster_.name(suspicion->by),
                              roster_.name(suspicion->of)));
    if (!failure_.empty()) return;
    const Verdict verdict = judge_->look(clock_.now());
    if (judge_->wave() != 0 && judge_->wave() != std::exchange(wave_, judge_->wave()))
      send_to_all(Type::wave, Writer().put(watch_).put(wave_).bytes());
    if (verdict == Verdict::none) return;
    const auto code = static_cast<std::uint32_t>(verdict);
    send_to_all(Type::verdict, Writer().put(watch_).put(code).bytes());
    decide(verdict);
  }

  void send_to_all(Type type, const Blob& payload) {
    for (Peer& peer : peers_)
      if (peer.connection) peer.connection.send(type, payload);
  }

  // Ends.
  void spread_failure(bool) override {
    for (Peer& peer : peers_)
      if (peer.connection) send_failure(peer);
  }

  void send_failure(Peer& peer) {
    peer.connection.outbox().drop_unwritten();
    peer.connection.send(Type::failure, Writer().put_text(failure_).bytes());
  }

  void say_goodbye() override {
    lobby_.close();
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

  Lobby lobby_;
  std::vector<Peer> peers_;  ///< by rank; the first is not used
  unsigned missing_ = membership_.size - 1;
  Clock::time_point join_until_{};
  std::uint64_t malformed_ = 0;
  std::optional<Judge> judge_;
  std::uint32_t wave_ = 0;      ///< the last that was sent
  std::uint32_t answered_ = 0;  ///< by this process
};

}  // namespace

PartyPtr make_hub(Membership membership, const JobOptions& options) {
  return PartyPtr(new Hub(std::move(membership), options));
}

}  // namespace toroid::job
