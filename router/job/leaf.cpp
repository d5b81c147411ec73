// Any process of a job but 0.
#include <poll.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/dial.hpp"
#include "router/job/job.hpp"
#include "router/job/member.hpp"
#include "router/job/membership.hpp"
#include "router/job/process_info.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {
namespace {

class Leaf final : public Member {
 public:
  Leaf(Membership membership, const JobOptions& options) : Member(std::move(membership), options) {}

  void join() override {
    hub_ = dial(membership_, options_);
    roster_[0].address = peer_address(hub_.socket());
    roster_[membership_.rank].address = own_address(hub_.socket());
    hub_.send(Type::info, encode(roster_[membership_.rank]));
    clock_.step();
    heard_ = clock_.now();
    start();
    Lock lock(mutex_);
    wait_until(lock, [this] { return joined_ || is_deserted(); });
  }

  std::uint64_t refused() override {
    const Lock lock(mutex_);
    return malformed_;
  }

  std::vector<Blob> gather(BlobKind kind, Bytes mine) override {
    const auto copy = std::make_shared<const Blob>(mine.begin(), mine.end());
    Lock lock(mutex_);
    ++sequence_;
    wait_until(lock, [this] { return !is_deserted(); });
    hub_.outbox().push_blob({kind, membership_.rank, sequence_, copy->size()}, copy);
    wake_thread();
    if (kind == BlobKind::gather) return {};
    wait_until(lock, [this] { return result_ || is_deserted(); });
    const Blob packed = *std::exchange(result_, std::nullopt);
    lock.unlock();
    return unpack(packed, membership_.size);
  }

 private:
  /// Whether process 0 has left; then the job fails.
  bool is_deserted() {
    if (left_) set_failure(roster_.name(0) + kEndedEarly);
    return left_;
  }

  // Called by the thread.
  void add_to(std::vector<pollfd>& polled) override { hub_.add_to(polled); }

  void serve(const std::vector<pollfd>& polled) override {
    if (!hub_) return;
    const Handlers handlers{
        [this](Type type, Bytes payload) { handle_frame(type, payload); },
        [this](const BlobHead& head, Blob blob) { handle_blob(head, std::move(blob)); }, false};
    switch (serve_connection(hub_, polled, handlers)) {
      case Served::nothing:
        return;
      case Served::heard:
        heard_ = clock_.now();
        if (left_) hub_.close();
        return;
      case Served::malformed:
        ++malformed_;
        set_failure(roster_.name(0) + kMalformed);
        return hub_.close();
      case Served::end:
        if (!left_) set_failure(roster_.name(0) + kDied);
        return hub_.close();
    }
  }

  void handle_frame(Type type, Bytes payload) {
    Reader reader(payload);
    switch (type) {
      case Type::pong:
        return handle_pong(reader);
      case Type::wave:
        return handle_wave(reader);
      case Type::verdict:
        return handle_verdict(reader);
      case Type::failure:
        return set_failure(reader.get_text());
      case Type::loss:
        return handle_loss(reader);
      case Type::goodbye:
        left_ = true;
        return changed_.notify_all();
      case Type::heartbeat:
        return;
      default:
        throw Malformed("not of process 0");
    }
  }

  void handle_blob(const BlobHead& head, Blob blob) {
    if (head.kind == BlobKind::table) return handle_table(blob);
    if (head.kind != BlobKind::all_gather || head.sequence != sequence_ || result_)
      throw Malformed("not what was asked for");
    result_ = std::move(blob);
    changed_.notify_all();
  }

  void handle_table(const Blob& table) {
    if (joined_) throw Malformed("a second table");
    session_ = roster_.decode(table);
    if (roster_[0].kernel != roster_[membership_.rank].kernel) return send_ping();
    joined_ = true;
    changed_.notify_all();
  }

  void send_ping() { hub_.send(Type::ping, Writer().put(ClockOffset::stamp()).bytes()); }

  void handle_pong(Reader& reader) {
    const auto sent = reader.get<std::uint64_t>();
    const auto there = reader.get<std::uint64_t>();
    if (joined_) throw Malformed("a pong that was not asked for");
    offset_.add_ping(sent, there, ClockOffset::stamp());
    if (!offset_.is_known()) return send_ping();
    clock_offset_ = offset_.value();
    joined_ = true;
    changed_.notify_all();
  }

  void tick() override {
    if (leaving_) return;
    if (is_watching()) is_deserted();
    if (!hub_) return;
    if (clock_.now() - heard_ > options_.silence) set_failure(roster_.name(0) + unanswered());
    if (is_heartbeat_due() && hub_.outbox().empty()) send_heartbeat();
  }

  void send_heartbeat() {
    if (is_watching() && reported_ == watch_) return send_report(0);
    hub_.send(Type::heartbeat);
  }

  void begin_watch() override { wanted_ = 0; }

  void handle_wave(Reader& reader) {
    const auto watch = reader.get<std::uint32_t>();
    const auto wave = reader.get<std::uint32_t>();
    if (watch == watch_) wanted_ = wave;
  }

  void handle_verdict(Reader& reader) {
    const auto watch = reader.get<std::uint32_t>();
    const auto verdict = static_cast<termination::Verdict>(reader.get<std::uint32_t>());
    if (verdict != termination::Verdict::quiescent && verdict != termination::Verdict::stalled)
      throw Malformed("not a verdict");
    if (watch == watch_) decide(verdict);
  }

  void handle_loss(Reader& reader) {
    const auto rank = reader.get<std::uint32_t>();
    if (rank == 0 || rank >= membership_.size || rank == membership_.rank)
      throw Malformed("not a loss");
    note_loss({rank, reader.get_text()});
  }

  void handle_own_report(const termination::MemberReport& report) override {
    if (!is_watching() || !hub_) return;
    const termination::MemberReport before = std::exchange(report_, report);
    const bool changed = reported_ != watch_ || before.passive != report.passive ||
                         before.injected != report.injected ||
                         before.delivered != report.delivered || before.suspect != report.suspect ||
                         before.without != report.without;
    if (changed || wanted_ != 0) send_report(std::exchange(wanted_, 0));
    reported_ = watch_;
  }

  std::uint32_t wanted_wave() const override { return wanted_; }

  void send_report(std::uint32_t wave) {
    hub_.send(Type::report, encode(NumberedReport{watch_, wave, report_}));
  }

  void spread_failure(bool own) override {
    if (!own || !hub_) return;
    hub_.outbox().drop_unwritten();
    hub_.send(Type::failure, Writer().put_text(failure_).bytes());
  }

  void send_goodbye() override { hub_.outbox().push(frame(Type::goodbye)); }
  bool has_unwritten() override { return hub_ && !hub_.outbox().empty(); }
  bool is_connected() override { return static_cast<bool>(hub_); }

  Connection hub_;
  Clock::time_point heard_{};
  bool joined_ = false;
  bool left_ = false;  ///< process 0 has left in order
  ClockOffset offset_;
  std::optional<Blob> result_;  ///< of the collective that this process waits in
  std::uint64_t malformed_ = 0;
  termination::MemberReport report_;  ///< the last one of this process
  std::uint32_t reported_ = 0;        ///< number of the watch that report_ belongs to
  std::uint32_t wanted_ = 0;          ///< the wave that process 0 asks for; 0: none
};

}  // namespace

std::unique_ptr<Member> make_leaf(Membership membership, const JobOptions& options) {
  return std::make_unique<Leaf>(std::move(membership), options);
}

}  // namespace toroid::job
