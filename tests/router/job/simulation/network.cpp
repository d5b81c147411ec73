#include "tests/router/job/simulation/network.hpp"

#include <fmt/core.h>

#include <cstring>

#include "router/job/bootstrap.hpp"

namespace toroid::job_simulation {
namespace {

/// An attempt to connect with a process. The kernel of a stopped process accepts it too.
class SimulatedCall final : public job::Call {
 public:
  SimulatedCall(Net& net, unsigned from, unsigned to)
      : net_(net), from_(from), to_(to), due_(net.now() + net.latency()) {
    net.wake(from, due_);
  }

  std::optional<std::string> error() const override {
    if (net_.now() < due_ || net_.is_cut(from_, to_)) return {};
    return net_.is_listening(to_) ? "" : "Connection refused";
  }
  std::unique_ptr<job::Stream> stream() override {
    return std::make_unique<SimulatedStream>(net_, net_.connect(from_, to_), 0);
  }

 private:
  Net& net_;
  unsigned from_;
  unsigned to_;
  Clock::time_point due_;
};

}  // namespace

Net::Net(unsigned processes, const LinkOptions& options, std::uint64_t seed)
    : options_(options), random_(seed, 7), ends_(processes) {}

void Net::wake(unsigned process, Clock::time_point at) {
  Endpoint& end = ends_[process];
  end.wakes_at = std::min(end.wakes_at, std::max(at, now_));
}

Clock::duration Net::latency() {
  const auto most = static_cast<std::uint32_t>(options_.latency.count());
  return std::chrono::microseconds(most / 10 + random_.below(most));
}

void Net::write(Link& link, int to, std::span<const std::byte> bytes) {
  Pipe& pipe = link.toward[to];
  if (pipe.closed) return;
  pipe.last = std::max(pipe.last, now_ + latency());
  pipe.parts.push_back({pipe.last, Blob(bytes.begin(), bytes.end())});
  pipe.in_flight += bytes.size();
  wake(link.process[to], pipe.last);
}

void Net::close(Link& link, int to) {
  Pipe& pipe = link.toward[to];
  if (pipe.closed) return;
  pipe.last = std::max(pipe.last, now_ + latency());
  pipe.closed = pipe.last;
  wake(link.process[to], pipe.last);
}

void Net::drop(Link& link, int end) {
  close(link, 1 - end);
  link.toward[end].parts.clear();
  link.toward[end].taken = link.toward[end].in_flight = 0;
  if (!link.toward[end].closed) link.toward[end].closed = now_;
}

std::shared_ptr<Link> Net::connect(unsigned from, unsigned to) {
  auto link = std::make_shared<Link>();
  link->process[0] = from;
  link->process[1] = to;
  link->has_wrong_key = ends_[from].key != ends_[to].key;
  const Clock::time_point due = now_ + latency();
  link->proved_at = due + latency() + latency();
  ends_[to].backlog.push_back({due, link});
  wake(to, due);
  for (const unsigned process : link->process) wake(process, link->proved_at);
  return link;
}

std::unique_ptr<job::Stream> Net::accept(unsigned process) {
  auto& backlog = ends_[process].backlog;
  if (backlog.empty() || backlog.front().due > now_) return nullptr;
  auto link = std::move(backlog.front().link);
  backlog.pop_front();
  return std::make_unique<SimulatedStream>(*this, std::move(link), 1);
}

void Net::stop_listening(unsigned process) {
  Endpoint& end = ends_[process];
  end.listens = false;
  for (const Waiting& waiting : std::exchange(end.backlog, {})) drop(*waiting.link, 1);
}

std::string SimulatedStream::address_of(unsigned process) {
  return fmt::format("192.0.2.{}", process);
}

std::size_t SimulatedStream::read(std::span<std::byte> to) {
  Pipe& pipe = inward();
  if (end() || !has_met() || pipe.parts.empty() || pipe.parts.front().due > net_.now()) return 0;
  const Blob& first = pipe.parts.front().bytes;
  const std::size_t count = std::min(to.size(), first.size() - pipe.taken);
  std::memcpy(to.data(), first.data() + pipe.taken, count);
  pipe.taken += count;
  pipe.in_flight -= count;
  read_ += count;
  net_.wake(link_->process[1 - end_], net_.now() + net_.latency());  // there is room again
  if (pipe.taken == first.size()) pipe.parts.pop_front(), pipe.taken = 0;
  return count;
}

std::size_t SimulatedStream::write(std::span<const std::byte> from) {
  if (end() || net_.now() < link_->proved_at) return 0;
  const Pipe& pipe = link_->toward[1 - end_];
  const std::size_t room = net_.options().window - std::min(pipe.in_flight, net_.options().window);
  const std::size_t count = std::min(room, from.size());
  if (count > 0) net_.write(*link_, 1 - end_, from.first(count));
  written_ += count;
  return count;
}

std::optional<job::End> SimulatedStream::end() const {
  if (is_cut()) return {};
  if (link_->has_wrong_key && net_.now() >= link_->proved_at) return job::End::wrong_key;
  const Pipe& pipe = inward();
  if (!pipe.closed || *pipe.closed > net_.now() || !pipe.parts.empty()) return {};
  return job::End::lost;
}

std::string SimulatedNetwork::listen(const Bootstrap&) {
  net_.listen(process_);
  return SimulatedStream::address_of(process_);
}

std::unique_ptr<job::Call> SimulatedNetwork::call(const std::string&, std::uint16_t) {
  return std::make_unique<SimulatedCall>(net_, process_, hub_);
}

}  // namespace toroid::job_simulation
