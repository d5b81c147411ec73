#include "router/job/member.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace toroid::job {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGoodbye{1000};      // time for the others to close their ends
constexpr milliseconds kLastWords{250};     // time for a dead process's last messages to arrive
constexpr std::size_t kMaxText = 64 << 10;  // bytes

}  // namespace

Member::Member(Bootstrap bootstrap, JobOptions options, ProcessInfo self, Network& network)
    : bootstrap_(std::move(bootstrap)),
      options_(std::move(options)),
      network_(network),
      roster_(bootstrap_.size),
      peers_(bootstrap_.size),
      clock_(std::min<Clock::duration>(5 * kPollPeriod, options_.silence / 4), network.now()) {
  roster_[bootstrap_.rank] = std::move(self);
}

std::unique_ptr<Member> make_member(Bootstrap bootstrap, const JobOptions& options,
                                    ProcessInfo self, Network& network) {
  const auto make = bootstrap.rank == 0 ? make_hub : make_leaf;
  return make(std::move(bootstrap), options, std::move(self), network);
}

// A turn.

void Member::write() {
  std::uint64_t moved = 0;
  for (Peer& peer : peers_) {
    if (!peer.connection) continue;
    peer.connection->write();
    if (leaving_) peer.connection->finish();
    moved += peer.connection->bytes_moved();
  }
  if (moved != std::exchange(moved_, moved)) moved_at_ = network_.now();
}

milliseconds Member::wait_time() const {
  for (const Peer& peer : peers_)
    if (peer.connection && peer.connection->has_more()) return milliseconds(0);
  if (is_watching() && wanted_wave() != 0) return milliseconds(0);
  if (leaving_ && is_dialling()) return milliseconds(0);
  return is_watching() ? kAskPeriod : kPollPeriod;
}

void Member::read() {
  clock_.step(network_.now());
  for (unsigned rank = 0; rank < peers_.size(); ++rank)
    if (peers_[rank].connection) serve_peer(rank);
  serve_others();
}

bool Member::is_report_due() const {
  return is_watching() && (wanted_wave() != 0 || network_.now() - asked_at_ >= kAskPeriod);
}

std::vector<unsigned> Member::begin_report() {
  asked_at_ = network_.now();
  std::vector<unsigned> lost;
  for (; told_losses_ < losses_.size(); ++told_losses_) lost.push_back(losses_[told_losses_].rank);
  return lost;
}

void Member::check() {
  if (!leaving_) check_peers();
  if (!leaving_) check_notices();
  tick();
}

std::optional<std::string> Member::take_abandonment() {
  if (abandoned_ || leaving_ || failure_.empty() ||
      clock_.now() - failed_at_ < options_.patience_after_failure)
    return {};
  abandoned_ = true;
  return failure_;
}

/// Waits longer while messages can still be delivered.
bool Member::has_left() const {
  if (!leaving_ || is_dialling()) return false;
  bool connected = false;
  bool unwritten = false;
  for (const Peer& peer : peers_) {
    connected |= peer.connection != nullptr;
    unwritten |= peer.connection && peer.connection->has_unwritten();
  }
  const bool useful = failure_.empty() && unwritten;
  return !connected ||
         network_.now() - moved_at_ > (useful ? std::max(options_.silence, kGoodbye) : kGoodbye);
}

// The program's calls.

void Member::begin_watch(milliseconds stall, OnLoss on_loss) {
  watches_ = true;
  stall_ = stall;
  on_loss_ = on_loss;
  told_losses_ = 0;
  verdict_ = termination::Verdict::none;
  ++watch_;
  prepare_watch();
}

void Member::fail(const std::string& why) {
  set_failure(fmt::format("{}: {}", roster_.name(bootstrap_.rank), why), true);
}

void Member::leave() {
  leaving_ = true;
  moved_at_ = network_.now();
  for (Peer& peer : peers_)
    if (peer.connection) peer.connection->push({{"is", "goodbye"}});
}

// The state of the job.

void Member::set_failure(std::string why, bool own) {
  if (!failure_.empty() || leaving_) return;
  failure_ = why.substr(0, kMaxText);
  failed_at_ = clock_.now();
  if (own || bootstrap_.rank == 0)
    for (Peer& peer : peers_)
      if (peer.connection) send_failure(*peer.connection);
  changed_ = true;
}

void Member::decide(termination::Verdict verdict) {
  if (verdict_ != termination::Verdict::none) return;
  verdict_ = verdict;
  changed_ = true;
}

bool Member::is_deserted_by(unsigned rank) {
  if (peers_[rank].left) set_failure(roster_.name(rank) + " has ended before the others");
  return peers_[rank].left;
}

void Member::note_loss(Loss loss) {
  losses_.push_back(std::move(loss));
  asked_at_ = {};
}

void Member::add_peer(unsigned rank, std::unique_ptr<Connection> connection) {
  peers_[rank].connection = std::move(connection);
  peers_[rank].heard = clock_.now();
  if (!failure_.empty()) send_failure(*peers_[rank].connection);
}

/// The short result of a collective arrives before the failure that follows from it.
void Member::send_failure(Connection& connection) const {
  connection.send_last({{"is", "failure"}, {"why", failure_}});
}

void Member::send_to_all(const Message& message) {
  for (Peer& peer : peers_)
    if (peer.connection) peer.connection->send(message);
}

// Messages, silence and notices.

void Member::serve_peer(unsigned rank) {
  Peer& peer = peers_[rank];
  const std::uint64_t before = peer.connection->bytes_read();
  const auto end = peer.connection->read([&](const Message& message, std::vector<Blob> blobs) {
    handle_any(rank, message, std::move(blobs));
  });
  if (peer.connection->bytes_read() != before) peer.heard = clock_.now();
  if (end || peer.left) part(rank, end.value_or(End::lost));
}

void Member::handle_any(unsigned rank, const Message& message, std::vector<Blob> blobs) {
  const std::string is = message.at("is");
  if (is == "heartbeat") return;
  if (is == "failure") return set_failure(message.at("why"));
  if (is != "goodbye") return handle(rank, message, std::move(blobs));
  peers_[rank].left = true;
  changed_ = true;
}

void Member::part(unsigned rank, End how) {
  peers_[rank].connection.reset();
  if (how == End::malformed) ++malformed_;
  if (how == End::malformed)
    set_failure(roster_.name(rank) + " sent a malformed message (another version of toroid?)");
  else if (!peers_[rank].left)
    miss(rank, roster_.name(rank) + " died: connection closed");
}

/// Treats silent peers as dead. Sends heartbeats only to peers to which nothing else waits to be
/// sent.
void Member::check_peers() {
  const bool due = is_heartbeat_due();
  for (unsigned rank = 0; rank < peers_.size(); ++rank) {
    Peer& peer = peers_[rank];
    if (!peer.connection) continue;
    if (clock_.now() - peer.heard > options_.silence)
      miss(rank, fmt::format("{} has not answered for {:.1f} s", roster_.name(rank),
                             std::chrono::duration<double>(options_.silence).count()));
    if (due && peer.connection && !peer.connection->has_unwritten())
      peer.connection->send(sign_of_life());
  }
}

void Member::hear(unsigned rank, const std::string& why) {
  if (rank < peers_.size() && rank != bootstrap_.rank)
    notices_.push_back({rank, why, clock_.now()});
}

void Member::hear_end_of_launcher(const std::string& why) {
  set_failure(why, true);
}

/// Acts on the launcher's notices after a delay, because the last messages of a dead process, or
/// its goodbye, may still be in flight.
void Member::check_notices() {
  while (!notices_.empty() && clock_.now() - notices_.front().at > kLastWords) {
    const Notice notice = std::move(notices_.front());
    notices_.erase(notices_.begin());
    believe(notice.rank, notice.why);
  }
}

/// Acts on a notice only if this process is connected with the dead process or waits for it to
/// join. Losses of other processes are announced by process 0.
void Member::believe(unsigned rank, const std::string& why) {
  const bool awaited = !joined_ && (bootstrap_.rank == 0 || rank == 0);
  if (peers_[rank].left) return;
  if (peers_[rank].connection) return miss(rank, roster_.name(rank) + " died: " + why);
  if (awaited) set_failure(fmt::format("process {} did not join: {}", rank, why));
}

bool Member::is_heartbeat_due() {
  const auto now = network_.now();
  const auto half = std::max(stall_ / 20, kAskPeriod);  // two heartbeats per sample of StallWatch
  const auto period = is_watching() ? std::min(options_.heartbeat, half) : options_.heartbeat;
  if (now - beat_at_ < period) return false;
  beat_at_ = now;
  return true;
}

}  // namespace toroid::job
