// Any process of a job except process 0.

#include <cstddef>
#include <cstdint>
#include <exception>
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
#include "router/job/network.hpp"
#include "router/job/process_info.hpp"
#include "router/job/wire.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {
namespace {

class Leaf final : public Member {
 public:
  Leaf(Bootstrap bootstrap, const JobOptions& options, ProcessInfo self, Network& network)
      : Member(std::move(bootstrap), options, std::move(self), network) {}

  void begin() override {
    dialer_.emplace(network_, bootstrap_, options_.patience, roster_[bootstrap_.rank]);
  }

  /// Keeps the outcome for serve_others(), because this function runs without a lock.
  void dial() override {
    if (!dialer_ || dialled_) return;
    try {
      dialled_ = dialer_->step();
    } catch (const std::exception& error) {
      why_not_ = error.what();
    }
  }

  void begin_gather(BlobKind kind, Blob mine) override {
    kind_ = kind;
    ++sequence_;
    result_.reset();  // the program may have left the previous collective by an exception
    if (is_deserted_by(0) || !failure_.empty() || !peers_[0].connection) return;
    const std::vector<std::size_t> sizes{mine.size()};
    peers_[0].connection->push_blobs({{"is", "blobs"}, {"kind", kind}, {"sequence", sequence_}},
                                     sizes, std::make_shared<const Blob>(std::move(mine)));
  }

  bool is_gathered() override { return kind_ == BlobKind::gather || result_ || is_deserted_by(0); }

  bool has_result() const override { return kind_ == BlobKind::all_gather && result_.has_value(); }

  std::vector<Blob> take_gathered() override {
    if (kind_ == BlobKind::gather) return {};
    return *std::exchange(result_, std::nullopt);
  }

  void report(const termination::MemberReport& report) override {
    if (!is_watching() || !peers_[0].connection) return;
    const termination::MemberReport before = std::exchange(report_, report);
    const bool changed = reported_ != watch_ || before.passive != report.passive ||
                         before.injected != report.injected ||
                         before.delivered != report.delivered || before.suspect != report.suspect ||
                         before.without != report.without;
    if (changed || wanted_ != 0) send_to_all(report_message(std::exchange(wanted_, 0)));
    reported_ = watch_;
  }

 private:
  void serve_others() override {
    if (leaving_ && dialer_ && !dialled_) dialled_ = dialer_->hang_up();
    if (dialled_) join(std::move(dialled_));
    if (!why_not_.empty()) set_failure(why_not_);
    if (leaving_ || peers_[0].connection || !why_not_.empty()) dialer_.reset();
  }

  bool is_dialling() const override { return dialer_.has_value(); }

  /// Also tells process 0 if this process leaves before it is welcome: without a goodbye it would
  /// count as dead.
  void join(std::unique_ptr<Connection> hub) {
    roster_[bootstrap_.rank].address = hub->own_address();
    roster_[0].address = hub->peer_address();
    add_peer(0, std::move(hub));
    if (leaving_) peers_[0].connection->push({{"is", "goodbye"}});
  }

  void handle(unsigned, const Message& message, std::vector<Blob> blobs) override {
    const std::string is = message.at("is");
    if (is == "wave") return handle_wave(message);
    if (is == "verdict") return handle_verdict(message);
    if (is == "blobs") return handle_blobs(message, std::move(blobs));
    if (is == "table") return handle_table(message);
    if (is == "pong") return handle_pong(message);
    if (is == "loss") return handle_loss(message);
    if (is == "welcome" && leaving_) return;  // it has hung up before
    throw Malformed("unknown message from process 0");
  }

  void handle_blobs(const Message& message, std::vector<Blob> blobs) {
    if (message.at("kind") != BlobKind::all_gather || message.at("sequence") != sequence_ ||
        blobs.size() != bootstrap_.size || result_)
      throw Malformed("unexpected blobs");
    result_ = std::move(blobs);
    changed_ = true;
  }

  void handle_table(const Message& table) {
    if (joined_) throw Malformed("a second table");
    session_ = table.at("session");
    roster_.set_infos(table.at("processes"));
    if (roster_[0].kernel != roster_[bootstrap_.rank].kernel) return send_ping();
    joined_ = true;
    changed_ = true;
  }

  void send_ping() {
    peers_[0].connection->send({{"is", "ping"}, {"sent", ClockOffset::stamp(network_.now())}});
    peers_[0].connection->write();
  }

  void handle_pong(const Message& pong) {
    if (joined_) throw Malformed("an unexpected pong");
    offset_.add_ping(pong.at("sent"), pong.at("now"), ClockOffset::stamp(network_.now()));
    if (!offset_.is_known()) return send_ping();
    clock_offset_ = offset_.value();
    joined_ = true;
    changed_ = true;
  }

  void tick() override {
    if (is_watching() && !leaving_) is_deserted_by(0);
  }

  Message sign_of_life() const override {
    const bool reports = is_watching() && reported_ == watch_;
    return reports ? report_message(0) : Member::sign_of_life();
  }

  void prepare_watch() override { wanted_ = 0; }

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

  std::uint32_t wanted_wave() const override { return wanted_; }

  Message report_message(std::uint32_t wave) const {
    return {{"is", "report"}, {"report", NumberedReport{watch_, wave, report_}}};
  }

  std::optional<Dialer> dialer_;         ///< until this process is connected
  std::unique_ptr<Connection> dialled_;  ///< the dialer's connection
  std::string why_not_;                  ///< why there is none
  ClockOffset offset_;
  BlobKind kind_ = BlobKind::gather;         ///< of the current collective
  std::optional<std::vector<Blob>> result_;  ///< result of the current collective
  termination::MemberReport report_;         ///< this process's latest report
  std::uint32_t reported_ = 0;               ///< number of the watch that report_ belongs to
  std::uint32_t wanted_ = 0;                 ///< the wave that process 0 asks for; 0 if none
};

}  // namespace

std::unique_ptr<Member> make_leaf(Bootstrap bootstrap, const JobOptions& options, ProcessInfo self,
                                  Network& network) {
  return std::make_unique<Leaf>(std::move(bootstrap), options, std::move(self), network);
}

}  // namespace toroid::job
