// Any process of a job except process 0.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/clocks.hpp"
#include "router/job/connection.hpp"
#include "router/job/dial.hpp"
#include "router/job/job.hpp"
#include "router/job/member.hpp"
#include "router/job/process_info.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {
namespace {

class Leaf final : public Member {
 public:
  Leaf(Bootstrap bootstrap, const JobOptions& options) : Member(std::move(bootstrap), options) {}

  std::vector<Blob> gather(BlobKind kind, Bytes mine) override {
    const auto copy = std::make_shared<const Blob>(mine.begin(), mine.end());
    Lock lock(mutex_);
    ++sequence_;
    wait_until(lock, [this] { return !is_deserted_by(0); });
    const Message message{{"is", "blobs"}, {"kind", kind}, {"sequence", sequence_}};
    if (Connection* hub = peers_[0].connection.get())
      hub->push_blobs(message, {copy->size()}, copy);
    wake_thread();
    if (kind == BlobKind::gather) return {};
    wait_until(lock, [this] { return result_ || is_deserted_by(0); });
    return *std::exchange(result_, std::nullopt);
  }

 private:
  void connect() override {
    ProcessInfo& self = roster_[bootstrap_.rank];
    auto hub = dial(loop_, tls_, bootstrap_, options_, self, [this] { return is_leaving(); });
    if (!hub) return;
    const Lock lock(mutex_);
    self.address = hub->own_address();
    roster_[0].address = hub->peer_address();
    clock_.step();
    add_peer(0, std::move(hub));
  }

  // Called by the job's thread.
  void handle(unsigned, const Message& message, std::vector<Blob> blobs) override {
    const std::string is = message.at("is");
    if (is == "wave") return handle_wave(message);
    if (is == "verdict") return handle_verdict(message);
    if (is == "blobs") return handle_blobs(message, std::move(blobs));
    if (is == "table") return handle_table(message);
    if (is == "pong") return handle_pong(message);
    if (is == "loss") return handle_loss(message);
    throw Malformed("unknown message from process 0");
  }

  void handle_blobs(const Message& message, std::vector<Blob> blobs) {
    if (message.at("kind") != BlobKind::all_gather || message.at("sequence") != sequence_ ||
        blobs.size() != bootstrap_.size || result_)
      throw Malformed("unexpected blobs");
    result_ = std::move(blobs);
    changed_.notify_all();
  }

  void handle_table(const Message& table) {
    if (joined_) throw Malformed("a second table");
    session_ = table.at("session");
    roster_.set_infos(table.at("processes"));
    if (roster_[0].kernel != roster_[bootstrap_.rank].kernel) return send_ping();
    joined_ = true;
    changed_.notify_all();
  }

  void send_ping() {
    peers_[0].connection->send({{"is", "ping"}, {"sent", ClockOffset::stamp()}});
    peers_[0].connection->write();
  }

  void handle_pong(const Message& pong) {
    if (joined_) throw Malformed("an unexpected pong");
    offset_.add_ping(pong.at("sent"), pong.at("now"), ClockOffset::stamp());
    if (!offset_.is_known()) return send_ping();
    clock_offset_ = offset_.value();
    joined_ = true;
    changed_.notify_all();
  }

  void tick() override {
    if (is_watching() && !leaving_) is_deserted_by(0);
  }

  Message sign_of_life() const override {
    const bool reports = is_watching() && reported_ == watch_;
    return reports ? report_message(0) : Member::sign_of_life();
  }

  void begin_watch() override { wanted_ = 0; }

  void handle_wave(const Message& message) {
    if (message.at("watch") == watch_) wanted_ = message.at("wave");
  }

  void handle_verdict(const Message& message) {
    const termination::Verdict verdict = message.at("verdict");
    if (verdict != termination::Verdict::quiescent && verdict != termination::Verdict::stalled)
      throw Malformed("unknown verdict");
    if (message.at("watch") == watch_) decide(verdict);
  }

  void handle_loss(const Message& message) {
    const unsigned rank = message.at("rank");
    if (rank == 0 || rank >= bootstrap_.size || rank == bootstrap_.rank)
      throw Malformed("a loss with a wrong rank");
    note_loss({rank, message.at("why")});
  }

  void handle_own_report(const termination::MemberReport& report) override {
    if (!is_watching() || !peers_[0].connection) return;
    const termination::MemberReport before = std::exchange(report_, report);
    const bool changed = reported_ != watch_ || before.passive != report.passive ||
                         before.injected != report.injected ||
                         before.delivered != report.delivered || before.suspect != report.suspect ||
                         before.without != report.without;
    if (changed || wanted_ != 0) send_to_all(report_message(std::exchange(wanted_, 0)));
    reported_ = watch_;
  }

  std::uint32_t wanted_wave() const override { return wanted_; }

  Message report_message(std::uint32_t wave) const {
    return {{"is", "report"}, {"report", NumberedReport{watch_, wave, report_}}};
  }

  ClockOffset offset_;
  std::optional<std::vector<Blob>> result_;  ///< result of the current collective
  termination::MemberReport report_;         ///< this process's latest report
  std::uint32_t reported_ = 0;               ///< number of the watch that report_ belongs to
  std::uint32_t wanted_ = 0;                 ///< the wave that process 0 asks for; 0 if none
};

}  // namespace

std::unique_ptr<Member> make_leaf(Bootstrap bootstrap, const JobOptions& options) {
  return std::make_unique<Leaf>(std::move(bootstrap), options);
}

}  // namespace toroid::job
