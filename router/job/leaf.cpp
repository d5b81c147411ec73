// Any process of a job but 0.
#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
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
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {
namespace {

class Leaf final : public Member {
 public:
  Leaf(Membership membership, const JobOptions& options) : Member(std::move(membership), options) {}

  void join() override {
    dial(loop_, *tls_, membership_, options_,
         {.hello = [this](const Connection& connection) { return hello(connection); },
          .admitted = [this](const ConnectionPtr& connection) { enter(connection); }});
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
    if (hub_) hub_->outbox().push_blob({{"kind", kind}, {"sequence", sequence_}}, copy);
    wake_thread();
    if (kind == BlobKind::gather) return {};
    wait_until(lock, [this] { return result_ || is_deserted(); });
    const Blob packed = *std::exchange(result_, std::nullopt);
    lock.unlock();
    return unpack(packed, membership_.size);
  }

 private:
  Message hello(const Connection& connection) {
    ProcessInfo& self = roster_[membership_.rank];
    self.address = connection.own_address();
    Message hello = message_of(self);
    hello.update({{"is", "hello"},
                  {"protocol", kProtocol},
                  {"rank", membership_.rank},
                  {"size", membership_.size}});
    return hello;
  }

  void enter(const ConnectionPtr& connection) {
    hub_ = connection;
    roster_[0].address = connection->peer_address();
    connection->set_handlers(
        {.message = [this](const Message& message) { handle(message); },
         .blob = [this](const Message& head, Blob blob) { handle_blob(head, std::move(blob)); },
         .heard = [this] { heard_ = clock_.now(); },
         .ended = [this](End how) { handle_end(how); }});
  }

  /// Whether process 0 has left; then the job fails.
  bool is_deserted() {
    if (left_) set_failure(roster_.name(0) + kEndedEarly);
    return left_;
  }

  // Called by the thread.
  std::span<const ConnectionPtr> connections() const override { return {&hub_, 1}; }

  void handle_end(End how) {
    lose(0, how, left_);
    hub_.reset();
  }

  void handle(const Message& message) {
    const std::string is = message.at("is");
    if (is == "wave") return handle_wave(message);
    if (is == "verdict") return handle_verdict(message);
    if (is == "table") return handle_table(message);
    if (is == "pong") return handle_pong(message);
    if (is == "failure") return set_failure(message.at("why"));
    if (is == "goodbye") return handle_goodbye();
    if (is != "heartbeat") throw Malformed("not of process 0");
  }

  void handle_goodbye() {
    left_ = true;
    hub_->close();
    hub_.reset();
    changed_.notify_all();
  }

  void handle_blob(const Message& head, Blob blob) {
    if (head.at("kind") != BlobKind::all_gather || head.at("sequence") != sequence_ || result_)
      throw Malformed("not what was asked for");
    result_ = std::move(blob);
    changed_.notify_all();
  }

  void handle_table(const Message& table) {
    if (joined_) throw Malformed("a second table");
    session_ = table.at("session");
    roster_.decode(table.at("processes"));
    if (roster_[0].kernel != roster_[membership_.rank].kernel) return send_ping();
    joined_ = true;
    changed_.notify_all();
  }

  void send_ping() {
    hub_->send({{"is", "ping"}, {"sent", ClockOffset::stamp()}});
    hub_->flush();
  }

  void handle_pong(const Message& pong) {
    if (joined_) throw Malformed("a pong that was not asked for");
    offset_.add_ping(pong.at("sent"), pong.at("now"), ClockOffset::stamp());
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
    if (is_heartbeat_due() && hub_->outbox().empty()) send_heartbeat();
  }

  void send_heartbeat() {
    if (is_watching() && reported_ == watch_) return send_report(0);
    hub_->send({{"is", "heartbeat"}});
  }

  void begin_watch() override { wanted_ = 0; }

  void handle_wave(const Message& message) {
    if (message.at("watch") == watch_) wanted_ = message.at("wave");
  }

  void handle_verdict(const Message& message) {
    const termination::Verdict verdict = message.at("verdict");
    if (verdict != termination::Verdict::quiescent && verdict != termination::Verdict::stalled)
      throw Malformed("not a verdict");
    if (message.at("watch") == watch_) decide(verdict);
  }

  void handle_own_report(const termination::MemberReport& report) override {
    if (!is_watching() || !hub_) return;
    const termination::MemberReport before = std::exchange(report_, report);
    const bool changed = reported_ != watch_ || before.passive != report.passive ||
                         before.injected != report.injected ||
                         before.delivered != report.delivered || before.suspect != report.suspect;
    if (changed || wanted_ != 0) send_report(std::exchange(wanted_, 0));
    reported_ = watch_;
  }

  std::uint32_t wanted_wave() const override { return wanted_; }

  void send_report(std::uint32_t wave) {
    hub_->send(message_of(NumberedReport{watch_, wave, report_}));
  }

  void spread_failure(bool own) override {
    if (own && hub_) send_failure(*hub_);
  }

  ConnectionPtr hub_;
  Clock::time_point heard_{};
  bool joined_ = false;
  bool left_ = false;  ///< process 0 has left in order
  ClockOffset offset_;
  std::optional<Blob> result_;        ///< of the collective that this process waits in
  termination::MemberReport report_;  ///< the last one of this process
  std::uint32_t reported_ = 0;        ///< number of the watch that report_ belongs to
  std::uint32_t wanted_ = 0;          ///< the wave that process 0 asks for; 0: none
};

}  // namespace

std::unique_ptr<Member> make_leaf(Membership membership, const JobOptions& options) {
  return std::make_unique<Leaf>(std::move(membership), options);
}

}  // namespace toroid::job
