// A simulated network between the processes of a job, and its clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/random.hpp"
#include "router/job/blob.hpp"
#include "router/job/clocks.hpp"
#include "router/job/network.hpp"

namespace toroid::job_simulation {

using job::Clock;

/// The properties of all links.
struct LinkOptions {
  std::chrono::microseconds latency{100};  ///< most time that bytes need; at least a tenth of it
  std::size_t window = 1 << 16;            ///< bytes in flight per direction
};

/// One direction of a link.
struct Pipe {
  struct Part {
    Clock::time_point due;
    Blob bytes;
  };
  std::deque<Part> parts{};
  std::size_t taken = 0;                      ///< bytes of the first part that have been read
  std::size_t in_flight = 0;                  ///< bytes
  Clock::time_point last{};                   ///< when the latest part arrives
  std::optional<Clock::time_point> closed{};  ///< when the end of the bytes arrives
};

/// A connection. End 0 has called, end 1 has accepted.
struct Link {
  unsigned process[2] = {0, 0};
  Pipe toward[2]{};  ///< [end that reads]
  Clock::time_point proved_at{};
  bool has_wrong_key = false;
};

/// The network of all processes. They have numbers of their own, because two of them may claim the
/// same rank. What arrives for a process moves its `wakes_at` forward.
class Net {
 public:
  Net(unsigned processes, const LinkOptions& options, std::uint64_t seed);

  Clock::time_point now() const { return now_; }
  void advance_to(Clock::time_point time) { now_ = std::max(now_, time); }
  Random& random() { return random_; }
  const LinkOptions& options() const { return options_; }

  void set_key(unsigned process, std::uint64_t key) { ends_[process].key = key; }
  /// From now on nothing passes between the process and others, or everything does again.
  void cut(unsigned process, bool is_cut) { ends_[process].is_cut = is_cut; }
  bool is_cut(unsigned a, unsigned b) const { return ends_[a].is_cut || ends_[b].is_cut; }

  /// When something arrives for the process; the owner resets it.
  Clock::time_point wakes_at(unsigned process) const { return ends_[process].wakes_at; }
  void wake(unsigned process, Clock::time_point at);
  void sleep(unsigned process, Clock::time_point until) { ends_[process].wakes_at = until; }

  Clock::duration latency();
  void write(Link& link, int to, std::span<const std::byte> bytes);
  void close(Link& link, int to);
  /// Closes an end for good.
  void drop(Link& link, int end);

  void listen(unsigned process) { ends_[process].listens = true; }
  void stop_listening(unsigned process);
  bool is_listening(unsigned process) const { return ends_[process].listens; }
  std::shared_ptr<Link> connect(unsigned from, unsigned to);
  std::unique_ptr<job::Stream> accept(unsigned process);

 private:
  struct Waiting {
    Clock::time_point due;
    std::shared_ptr<Link> link;
  };
  struct Endpoint {
    std::uint64_t key = 1;
    bool is_cut = false;
    bool listens = false;
    std::deque<Waiting> backlog{};
    Clock::time_point wakes_at{};
  };

  Clock::time_point now_ = Clock::time_point(std::chrono::seconds(1000));
  LinkOptions options_;
  Random random_;
  std::vector<Endpoint> ends_;
};

/// One end of a link.
class SimulatedStream final : public job::Stream {
 public:
  SimulatedStream(Net& net, std::shared_ptr<Link> link, int end)
      : net_(net), link_(std::move(link)), end_(end) {}
  ~SimulatedStream() override { net_.drop(*link_, end_); }
  SimulatedStream(const SimulatedStream&) = delete;
  SimulatedStream& operator=(const SimulatedStream&) = delete;

  std::size_t read(std::span<std::byte> to) override;
  std::size_t write(std::span<const std::byte> from) override;
  void finish() override { net_.close(*link_, 1 - end_); }
  std::optional<job::End> end() const override;
  bool is_proved() const override { return !link_->has_wrong_key && has_met(); }
  std::uint64_t bytes_read() const override { return read_; }
  std::uint64_t bytes_written() const override { return written_; }
  std::string own_address() const override { return address_of(link_->process[end_]); }
  std::string peer_address() const override { return address_of(link_->process[1 - end_]); }

  static std::string address_of(unsigned process);

 private:
  bool has_met() const { return net_.now() >= link_->proved_at && !is_cut(); }
  bool is_cut() const { return net_.is_cut(link_->process[0], link_->process[1]); }
  Pipe& inward() const { return link_->toward[end_]; }

  Net& net_;
  std::shared_ptr<Link> link_;
  int end_;
  std::uint64_t read_ = 0;
  std::uint64_t written_ = 0;
};

/// A process's access to the network. All calls go to `hub`.
class SimulatedNetwork final : public job::Network {
 public:
  SimulatedNetwork(Net& net, unsigned process, unsigned hub)
      : net_(net), process_(process), hub_(hub) {}

  Clock::time_point now() const override { return net_.now(); }
  std::uint64_t random_word() override { return net_.random().next() | (1ULL << 63); }
  std::string listen(const Bootstrap& bootstrap) override;
  void stop_listening() override { net_.stop_listening(process_); }
  std::unique_ptr<job::Stream> accept() override { return net_.accept(process_); }
  job::Resolved resolve(const std::string& host) override { return {.addresses = {host}}; }
  std::unique_ptr<job::Call> call(const std::string& address, std::uint16_t port) override;

 private:
  Net& net_;
  unsigned process_;
  unsigned hub_;
};

}  // namespace toroid::job_simulation
