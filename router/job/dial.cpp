#include "router/job/dial.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "hal/check.hpp"
#include "hal/version.hpp"
#include "router/job/blob.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeToConnect{2000};
constexpr milliseconds kTimeToAnswer{5000};
constexpr milliseconds kPause{100};
/// Time to go on trying after a refusal, because another job that is about to end may still listen
/// at this address.
constexpr milliseconds kTimeAfterRefusal{5000};
constexpr const char* kRefusal =
    "it does not hold the same key as this process (do both have the same job key?)";

/// Whether process 0 welcomes this process. Throws RunFailed if it refuses this process with a
/// reason: then dialling again is useless.
bool is_welcome(const Message& message, unsigned rank) {
  const std::string is = message.at("is");
  if (is == "refusal")
    throw RunFailed(fmt::format("process 0 refuses process {}: {}", rank,
                                message.at("why").get<std::string>()));
  if (is == "failure") throw RunFailed(message.at("why").get<std::string>());
  if (is != "welcome") throw Malformed("unexpected message before the welcome");
  return true;
}

}  // namespace

Dialer::Dialer(Network& network, const Bootstrap& bootstrap, milliseconds patience,
               ProcessInfo self)
    : network_(network), bootstrap_(bootstrap), self_(std::move(self)), until_(began_ + patience) {}

std::unique_ptr<Connection> Dialer::step() {
  while (begin() && follow_call()) {
    if (is_welcomed()) return std::move(connection_);
    if (connection_) break;
  }
  return nullptr;
}

/// Calls the next address unless an attempt is under way. After the last address there is a pause,
/// then the next round begins. Returns false during the pause.
bool Dialer::begin() {
  if (call_ || connection_) return true;
  if (pauses_ && network_.now() < limit_) return false;
  if (std::exchange(pauses_, false)) begin_round();
  if (!find_address()) return pause();
  call_ = network_.call(address_, bootstrap_.port);
  allow(kTimeToConnect);
  return true;
}

void Dialer::begin_round() {
  if (network_.now() >= until_ || is_hopeless()) give_up();
  host_ = 0;
}

bool Dialer::find_address() {
  while (addresses_.empty() && host_ < bootstrap_.master.size()) {
    auto [addresses, error] = network_.resolve(bootstrap_.master[host_++]);
    addresses_.assign(addresses.begin(), addresses.end());
    if (!error.empty()) why_ = error;
  }
  if (addresses_.empty()) return false;
  address_ = std::move(addresses_.front());
  addresses_.pop_front();
  return true;
}

bool Dialer::pause() {
  pauses_ = true;
  limit_ = network_.now() + kPause;
  return false;
}

/// Limits an attempt to `time`, or to what is left of the patience, but gives it at least kPause.
void Dialer::allow(milliseconds time) {
  const auto now = network_.now();
  limit_ = now + std::clamp<Clock::duration>(until_ - now, kPause, time);
}

bool Dialer::is_hopeless() const {
  return refused_ && network_.now() > *refused_ + kTimeAfterRefusal;
}

void Dialer::give_up() const {
  throw RunFailed(fmt::format("process {} cannot join process 0 at {} port {} within {:.1f} s: {}",
                              bootstrap_.rank, fmt::join(bootstrap_.master, ", "), bootstrap_.port,
                              std::chrono::duration<double>(network_.now() - began_).count(),
                              refused_ ? kRefusal : why_));
}

/// Returns false while the call lasts.
bool Dialer::follow_call() {
  if (!call_) return true;
  const std::optional<std::string> error = call_->error();
  if (!error && network_.now() < limit_) return false;
  if (error == "")
    say_hello(call_->stream());
  else
    why_ = error.value_or("Connection timed out");
  call_.reset();
  return true;
}

void Dialer::say_hello(std::unique_ptr<Stream> stream) {
  connection_ = std::make_unique<Connection>(std::move(stream));
  self_.address = connection_->own_address();
  Message hello = Hello{bootstrap_.rank, bootstrap_.size, self_};
  hello.update({{"is", "hello"}, {"protocol", kProtocol}, {"version", kVersion}});
  connection_->send(hello);
  allow(kTimeToAnswer);
}

bool Dialer::is_welcomed() {
  if (!connection_) return false;
  bool welcome = false;
  connection_->write();
  const auto end = connection_->read(
      [&](const Message& said, const std::vector<Blob>&) {
        welcome = is_welcome(said, bootstrap_.rank);
      },
      true);
  if (!welcome && (end || network_.now() >= limit_)) {
    note_refusal(end);
    connection_.reset();
  }
  return welcome;
}

void Dialer::note_refusal(std::optional<End> end) {
  if (end == End::wrong_key && !refused_) refused_ = network_.now();
  if (end == End::lost)
    why_ = "process 0 closed the connection";
  else
    why_ = end ? "the program there is not process 0 of this toroid version"
               : fmt::format("process 0 at {}:{} does not answer", address_, bootstrap_.port);
}

}  // namespace toroid::job
